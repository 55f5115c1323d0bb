import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:net';
import { expect, inject, it, onTestFinished } from 'vitest';
import { openPool } from './open-pool.ts';

/** A proxy before PostgreSQL that keeps the first message of each connection. */
async function startTap(postgresUrl: string) {
  const { hostname, port } = new URL(postgresUrl);
  const first: Buffer[] = [];
  const server = createServer((client) => {
    client.once('data', (data) => first.push(data));
    const postgres = connect(Number(port), hostname);
    client.pipe(postgres).pipe(client);
    for (const socket of [client, postgres]) socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = new URL(postgresUrl);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url: url.href, first };
}

/** The names of the parameters of a connection: the length, the version of the protocol, then pairs of texts. */
const parameterNames = (message: Buffer) =>
  message
    .subarray(8)
    .toString()
    .split('\0')
    .filter((text, at) => at % 2 === 0 && text !== '');

it('asks for no parameter that a connection pooler refuses, and has its limits all the same', async () => {
  const { url, first } = await startTap(inject('postgresUrl'));
  const session = { statement_timeout: 1_500, max_parallel_workers_per_gather: 0 };
  const pool = openPool({ connectionString: url, session });
  onTestFinished(() => pool.end());
  const shown = async (name: string) => Object.values((await pool.query(`show ${name}`)).rows[0] ?? {})[0];
  expect(await shown('statement_timeout')).toBe('1500ms');
  expect(await shown('idle_in_transaction_session_timeout')).toBe('3s');
  expect(await shown('max_parallel_workers_per_gather')).toBe('0');
  // Those that PgBouncer takes.
  const taken = ['user', 'database', 'application_name', 'client_encoding'];
  for (const message of first) for (const name of parameterNames(message)) expect(taken).toContain(name);
  expect(first).toHaveLength(1);
});
