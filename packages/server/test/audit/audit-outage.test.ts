import { join } from 'node:path';
import Database from 'better-sqlite3';
import pg from 'pg';
import { expect, it } from 'vitest';
import { entriesOf, verified } from '../support/audit.ts';
import type { TestController } from '../support/controller.ts';
import { adminCredentials, everyStorePair, sharedStores, startController } from '../support/controller.ts';

const management = '/edge/management/v1';

/** Keeps the end of the log for itself, as a database does that hangs. Returns what gives it back. */
async function lockLog({ options: { databaseUrl, dataDir = '' } }: TestController): Promise<() => Promise<void>> {
  if (!databaseUrl) {
    const database = new Database(join(dataDir, 'entities.db'));
    database.exec('begin immediate');
    return async () => void database.close();
  }
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('begin');
  await client.query('select * from "auditHead" for update');
  return () => client.end();
}

it.each(everyStorePair)(
  'while no entry can be written, nobody signs in, nothing changes, and sessions go on, on $stores',
  async ({ open }) => {
    await using server = await startController(await open());
    const { wire } = server;
    const token = await server.signIn();
    const signIn = (password = adminCredentials.password) =>
      wire('POST', '/edge/client/v1/authenticate?method=password', { body: { ...adminCredentials, password } });
    const create = (name: string) =>
      wire('POST', `${management}/services`, { token, body: { name, encryptionRequired: true } });
    const unavailable = { status: 503, body: { error: { code: 'STORE_UNAVAILABLE' } } };
    const release = await lockLog(server);
    const answers = await Promise.all([signIn(), signIn('a wrong password'), create('a')]);
    expect(answers).toMatchObject([unavailable, unavailable, unavailable]);
    expect(answers[0]?.headers['retry-after']).toBe('1');
    expect(answers[0]?.headers['zt-session']).toBeUndefined();
    expect((await wire('GET', '/edge/client/v1/current-api-session', { token })).status).toBe(200);
    await release();
    const sessions = await wire('GET', `${management}/api-sessions`, { token });
    expect(sessions.body.meta.pagination.totalCount).toBe(1);
    expect((await wire('GET', `${management}/services`, { token })).body.data).toEqual([]);
    expect((await signIn()).status).toBe(200);
    expect((await create('b')).status).toBe(201);
    const events = (await entriesOf(server, token)).map(({ event }) => event);
    expect(events.slice(-2)).toEqual(['authentication.succeeded', 'entity.created']);
    expect((await verified(server.options)).findings).toEqual([]);
  },
);

it('two controllers write one chain', async () => {
  const options = { ...(await sharedStores.open()), sealKey: Buffer.alloc(32, 7) };
  await using first = await startController(options);
  await using second = await startController(options);
  const token = await first.signIn();
  const names = Array.from({ length: 60 }, (_, at) => `service ${at}`);
  const created = await Promise.all(
    names.map((name, at) =>
      (at % 2 === 0 ? first : second).wire('POST', `${management}/services`, {
        token,
        body: { name, encryptionRequired: true },
      }),
    ),
  );
  expect(new Set(created.map(({ status }) => status))).toEqual(new Set([201]));
  await Promise.all([first.signIn(), second.signIn(), first.signIn(), second.signIn()]);
  const entries = await entriesOf(second, token);
  expect(entries.map(({ sequence }) => sequence)).toEqual(entries.map((_, at) => at + 1));
  const ids = new Set(entries.flatMap(({ event, entityId }) => (event === 'entity.created' ? [entityId] : [])));
  expect(created.filter(({ body }) => !ids.has(body.data.id))).toEqual([]);
  expect(await verified(first.options)).toMatchObject({ entries: entries.length, findings: [] });
});
