import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { Executable } from '../support/executable.ts';
import { runExecutable } from '../support/executable.ts';
import type { FaultProxy } from '../support/fault-proxy.ts';
import { startFaultProxy } from '../support/fault-proxy.ts';
import type { PrivatePostgres } from '../support/postgres.ts';
import { freshDatabase, startPrivatePostgres } from '../support/postgres.ts';
import { freshRedis } from '../support/redis.ts';
import type { Wire, WireAnswer } from '../support/request.ts';
import { createWire } from '../support/request.ts';

const credentials = { username: 'admin', password: 'a password of the admin' };
const identities = '/edge/management/v1/identities';
const signIn = '/edge/client/v1/authenticate?method=password';
const sealKey = randomBytes(32).toString('base64');
/** Milliseconds that a request may take, and then the service to come back. The limits in the product are lower. */
const [longest, recovery] = [6_000, 6_000];

let sequence = 0;
let postgres: PrivatePostgres;
/** Between the controllers and PostgreSQL. */
let proxy: FaultProxy;
/** Two controllers that share their databases, for all faults: none of them may need a new start. */
let replicas: readonly Replica[];
/** Their database, without the proxy. */
let databaseUrl: string;

beforeAll(async () => {
  postgres = await startPrivatePostgres();
  proxy = await startFaultProxy(postgres.port);
  databaseUrl = await freshDatabase(postgres.url);
  const settings = await settingsFor(databaseUrl);
  replicas = [await startReplica(settings), await startReplica(settings)];
});

afterAll(async () => {
  for (const replica of replicas) await replica[Symbol.asyncDispose]();
  await proxy[Symbol.asyncDispose]();
  await postgres[Symbol.asyncDispose]();
});

interface Replica extends AsyncDisposable {
  readonly server: Executable;
  readonly wire: Wire;
  readonly token: string;
}

/** Settings of a controller that reaches its database through the proxy. */
async function settingsFor(direct: string): Promise<Record<string, string>> {
  const url = new URL(direct);
  url.port = String(proxy.port);
  return {
    EDGE_DATABASE_URL: url.href,
    EDGE_REDIS_URL: await freshRedis(inject('redisUrl')),
    EDGE_SEAL_KEY: sealKey,
    EDGE_ADMIN_PASSWORD: credentials.password,
    EDGE_SIGN_IN_RATE: '0',
    EDGE_LOG_LEVEL: 'fatal',
  };
}

function launch(settings: Record<string, string>): AsyncDisposable & { server: Executable; dataDir: string } {
  const dataDir = mkdtempSync(join(tmpdir(), 'edge-outage-'));
  const server = runExecutable([], { ...settings, EDGE_DATA_DIR: dataDir });
  return {
    server,
    dataDir,
    async [Symbol.asyncDispose]() {
      server.process.kill('SIGKILL');
      await server.exited;
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function startReplica(settings: Record<string, string>): Promise<Replica> {
  const launched = launch(settings);
  const wire = createWire(await launched.server.ready, join(launched.dataDir, 'pki/ca.pem'));
  const { body } = await wire('POST', signIn, { body: credentials });
  return { ...launched, wire, token: body.data.token };
}

function create({ wire, token }: Replica): Promise<WireAnswer> {
  sequence += 1;
  return wire('POST', identities, { token, body: { name: `identity-${sequence}`, type: 'User', isAdmin: false } });
}

/** What a controller does that needs PostgreSQL, each in its own way. */
const requests: readonly ((replica: Replica) => Promise<WireAnswer>)[] = [
  create,
  ({ wire, token }) => wire('GET', identities, { token }),
  ({ wire, token }) => wire('GET', `${identities}/no-such-id`, { token }),
  ({ wire }) => wire('POST', signIn, { body: credentials }),
  ({ wire, token }) => wire('DELETE', `${identities}/no-such-id`, { token }),
  ({ wire, token }) => wire('GET', '/edge/client/v1/current-identity/authenticators', { token }),
];

/** More requests than the pool has connections, at the same time. Each must be refused with 503, in time. */
async function expectRefusals(): Promise<void> {
  const startedAt = performance.now();
  const sent = replicas.flatMap((replica) => [...requests, ...requests, ...requests].map((send) => send(replica)));
  const answers = await Promise.all(
    sent.map(async (answer) => ({ ...(await answer), milliseconds: performance.now() - startedAt })),
  );
  expect(answers.map(({ status, body }) => [status, body.error?.code])).toEqual(
    answers.map(() => [503, 'STORE_UNAVAILABLE']),
  );
  expect(Math.max(...answers.map(({ milliseconds }) => milliseconds))).toBeLessThan(longest);
}

async function expectRecovery(): Promise<void> {
  const isUp = async (replica: Replica) => (await create(replica)).status === 201;
  await Promise.all(replicas.map((replica) => expect.poll(() => isUp(replica), { timeout: recovery }).toBe(true)));
}

/** Creates identities on all controllers, several at a time, until it is stopped. */
function startWriters() {
  const answers: WireAnswer[] = [];
  let isStopped = false;
  const write = async (replica: Replica) => {
    while (!isStopped) answers.push(await create(replica));
  };
  const writers = Promise.all(replicas.flatMap((replica) => [1, 2, 3, 4].map(() => write(replica))));
  const created = () => answers.filter(({ status }) => status === 201);
  return {
    created,
    /** Resolves when more were created. */
    async go() {
      const before = created().length;
      await expect.poll(() => created().length).toBeGreaterThan(before + 20);
    },
    /** Both controllers run, have answered everything with 201 or 503, and what they acknowledged is there. */
    async stopAndCheck() {
      isStopped = true;
      await writers;
      for (const { server } of replicas) expect(server.process.exitCode, server.stderr()).toBeNull();
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 503]));
      for (const replica of replicas) await expectAllStored(replica, created());
    },
  };
}

async function expectAllStored(replica: Replica, created: readonly WireAnswer[]): Promise<void> {
  const { body } = await replica.wire('GET', `${identities}?limit=-1`, { token: replica.token });
  const stored = new Set(body.data.map(({ id }: { id: string }) => id));
  expect(created.map((answer) => answer.body.data.id).filter((id) => !stored.has(id))).toEqual([]);
}

/** Runs statements on the database of a test, beside the controllers. */
async function administer(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

const terminate = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()`;

describe('two controllers under writes', () => {
  it('keep running and lose nothing when their connections are terminated again and again', async () => {
    const writers = startWriters();
    await administer(databaseUrl, async (client) => {
      for (let round = 0; round < 10; round += 1) {
        await writers.go();
        await client.query(terminate);
      }
    });
    await writers.go();
    await writers.stopAndCheck();
  });

  it('serve again after PostgreSQL restarted without a checkpoint', async () => {
    const writers = startWriters();
    await writers.go();
    await postgres.restart();
    await expectRecovery();
    await writers.stopAndCheck();
  });

  it.each([
    ['PostgreSQL is frozen', () => postgres.freeze(), () => postgres.thaw()],
    ['the network aborts all connections', () => proxy.refuse(), () => proxy.heal()],
    ['the network lets nothing pass', () => proxy.blackHole(), () => proxy.heal()],
  ])('refuse everything with 503 in time while %s, and serve again afterwards', async (_, begin, end) => {
    const writers = startWriters();
    await writers.go();
    begin();
    try {
      await expectRefusals();
    } finally {
      end();
    }
    await expectRecovery();
    await writers.stopAndCheck();
  });
});

describe('a controller without PostgreSQL', () => {
  it('ends with 3 when a statement fails at the start', async () => {
    const settings = await settingsFor(databaseUrl);
    await administer(databaseUrl, async (client) => {
      await client.query('begin');
      await client.query('lock table meta');
      await using starting = launch(settings);
      expect(await starting.server.exited).toBe(3);
      expect(starting.server.stderr()).toContain('statement timeout');
    });
  });

  it('ends with 3 when PostgreSQL stops to reply during a migration', async () => {
    const direct = await freshDatabase(postgres.url);
    const settings = await settingsFor(direct);
    await administer(direct, async (client) => {
      // The lock that Kysely takes for a migration.
      await client.query('select pg_advisory_lock(3853314791062309107)');
      await using starting = launch(settings);
      const waiting = async () =>
        (await client.query(`select 1 from pg_locks where locktype = 'advisory' and not granted`)).rowCount;
      await expect.poll(waiting).toBe(1);
      proxy.blackHole();
      expect(await starting.server.exited).toBe(3);
      expect(starting.server.stderr()).toMatch(/PostgreSQL at 127\.0\.0\.1:\d+ cannot be used/);
    });
  });

  it('ends with 0 on SIGTERM while nothing passes', async () => {
    proxy.heal();
    await expectRecovery();
    proxy.blackHole();
    for (const { server } of replicas) server.process.kill('SIGTERM');
    expect(await Promise.all(replicas.map(({ server }) => server.exited))).toEqual([0, 0]);
  });
});
