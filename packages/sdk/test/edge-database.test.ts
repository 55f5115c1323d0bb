import { connect } from 'node:net';
import { pipeline } from 'node:stream/promises';
import type { ServiceBinding } from '@edge-controller/sdk/node';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import type { RoutedServices } from './support/routed-services.ts';
import { startRoutedServices } from './support/routed-services.ts';

const { hostname, port, username, password } = new URL(inject('postgresUrl'));
let network: RoutedServices;
let binding: ServiceBinding;
beforeAll(async () => {
  network = await startRoutedServices();
  await network.addService('postgres');
  binding = await network.hosting.bind('postgres');
  forward().catch(() => undefined);
});
afterAll(() => network[Symbol.asyncDispose]());

/** Connects the service with the database. */
async function forward() {
  for await (const connection of binding) {
    const socket = connect(Number(port), hostname);
    pipeline(connection, socket, connection).catch(() => undefined);
  }
}

const config = { user: username, password, database: 'postgres', stream: () => network.calling.connect('postgres') };

test('a pool of a PostgreSQL client works over a service', async () => {
  const pool = new pg.Pool({ ...config, max: 3 });
  const results = await Promise.all(
    Array.from({ length: 20 }, (_, at) =>
      pool.query('select $1::int + 1 as next, repeat($2, 50000) as text', [at, 'x']),
    ),
  );
  expect(results.map(({ rows }) => [rows[0].next, rows[0].text.length])).toEqual(
    results.map((_, at) => [at + 1, 50_000]),
  );
  expect(pool.totalCount).toBe(3);
  await pool.end();
  await vi.waitFor(() => expect(network.router.state.connections).toBe(1));
});

test('a connection that cannot be opened is an error of the client', async () => {
  const client = new pg.Client({ ...config, stream: () => network.calling.connect('unknown') });
  await expect(client.connect()).rejects.toMatchObject({ code: 'SERVICE_NOT_FOUND' });
});

test('a connection that the router loses is an error of the client', async () => {
  const client = new pg.Client(config);
  await client.connect();
  const errors: unknown[] = [];
  client.on('error', (error) => errors.push(error));
  network.router.kill();
  await vi.waitFor(() => expect(errors[0]).toMatchObject({ code: 'ROUTER_LOST' }));
  await network.router.restart();
});
