import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sweepDelays } from '../../src/credentials/passwords/sweep-delays.ts';
import { addPolicy, addUserUnder, policyRules } from '../support/auth-policies.ts';
import type { TestController } from '../support/controller.ts';
import { everyStorePair, startController } from '../support/controller.ts';
import { openEntities } from '../support/databases.ts';
import { sql } from '../support/sql.ts';

const walHeader = 32;
const walFrame = 24 + 4_096;

/** Runs `work` and returns how much it wrote: pages on SQLite, rows on PostgreSQL. */
async function written(server: TestController, work: () => Promise<void>): Promise<number> {
  if (server.options.databaseUrl) {
    const [before] = await sql(server, 'select pg_current_xact_id()::xid as id');
    await work();
    const tables = await sql(server, `select tablename from pg_tables where schemaname = 'public'`);
    const newRows = tables.map(
      ({ tablename }) => `(select count(*) from "${tablename}" where age(xmin) < age('${before?.id}'::xid))`,
    );
    const [row] = await sql(server, `select ${newRows.join(' + ')} as rows`);
    return Number(row?.rows);
  }
  await sql(server, 'pragma wal_checkpoint(truncate)');
  await work();
  const { size } = statSync(join(server.options.dataDir ?? '', 'entities.db-wal'));
  return size === 0 ? 0 : (size - walHeader) / walFrame;
}

/** Of the user name and the attempt. Only the first refusal has an entry in the audit log. */
const rows = 2;
const attempt = async (server: TestController, username: string, password: string) =>
  (await server.wire('POST', '/edge/client/v1/authenticate?method=password', { body: { username, password } })).status;

/** Kind of refusal → user name. */
async function addUsers(server: TestController): Promise<Readonly<Record<string, string>>> {
  const token = await server.signIn();
  const addUser = async (rules: { maxAttempts?: number; allowed?: boolean } = {}) => {
    const { primary } = policyRules;
    const updb = { ...primary.updb, maxAttempts: 1_000, ...rules };
    const name = `policy ${JSON.stringify(rules)} ${Math.random()}`;
    const authPolicyId = await addPolicy(server, token, { name, primary: { ...primary, updb } });
    return await addUserUnder(server, token, { authPolicyId });
  };
  const disabled = await addUser();
  const disable = `/edge/management/v1/identities/${disabled.id}/disable`;
  expect((await server.wire('POST', disable, { token, body: { durationMinutes: 5 } })).status).toBe(200);
  const locked = await addUser({ maxAttempts: 1 });
  expect(await attempt(server, locked.username, 'a wrong password')).toBe(401);
  const withoutPassword = await addUser();
  const ofIt = `select id from authenticators where "identityId" = '${withoutPassword.id}'`;
  await sql(server, `delete from passwords where "authenticatorId" in (${ofIt})`);
  return {
    'wrong password': (await addUser()).username,
    'wrong password without a limit': (await addUser({ maxAttempts: 0 })).username,
    'disabled identity': disabled.username,
    'locked identity': locked.username,
    'passwords forbidden': (await addUser({ allowed: false })).username,
    'no password': withoutPassword.username,
  };
}

describe.each(everyStorePair)('a refused sign-in on $stores', ({ open }) => {
  it('writes as much for an unknown user as for every known one', async () => {
    const stores = await open();
    // How many pages an entry of the audit log takes depends on how full they are, so files are measured without it: see the next test.
    await using server = await startController({ ...stores, auditEnabled: stores.databaseUrl !== undefined });
    const users = { 'unknown user': 'nobody-has-this-name', ...(await addUsers(server)) };
    const found: Record<string, number> = {};
    // The first wrong password of any user name adds a row, and with the second one a count takes a byte, which may split a page.
    for (const username of Object.values(users)) {
      for (const password of ['a guess', 'another guess']) await attempt(server, username, password);
    }
    for (const [kind, username] of Object.entries(users)) {
      found[kind] = await written(server, async () => {
        expect(await attempt(server, username, 'not the password'), kind).toBe(401);
      });
    }
    expect(found).toEqual(Object.fromEntries(Object.keys(users).map((kind) => [kind, rows])));
  });

  it('has one entry in the audit log, for an unknown user as for every known one', async () => {
    await using server = await startController(await open());
    const users = { 'unknown user': 'nobody-has-this-name', ...(await addUsers(server)) };
    const count = async () => Number((await sql(server, 'select count(*) as rows from "auditLog"'))[0]?.rows);
    const found: Record<string, number> = {};
    for (const [kind, username] of Object.entries(users)) {
      const before = await count();
      expect(await attempt(server, username, 'not the password'), kind).toBe(401);
      found[kind] = (await count()) - before;
    }
    expect(found).toEqual(Object.fromEntries(Object.keys(users).map((kind) => [kind, 1])));
  });

  it('keeps a bounded number of user names: those with the fewest wrong passwords are forgotten first', async () => {
    await using server = await startController(await open());
    const names = Array.from({ length: 10 }, (_, at) => `nobody-${at}`);
    for (const name of names) expect(await attempt(server, name, 'not the password')).toBe(401);
    expect(await attempt(server, 'nobody-3', 'not the password')).toBe(401);
    const failures = async () => {
      const rows = await sql(
        server,
        'select "failures" from "passwordDelays" where "knownUntil" = 0 order by "failures"',
      );
      return rows.map((row) => row.failures);
    };
    expect(await failures()).toEqual([...Array.from({ length: 9 }, () => 1), 2]);
    await using entities = await openEntities(server.options);
    await sweepDelays(entities.store.db, Date.now(), 3);
    expect(await failures()).toEqual([1, 1, 2]);
    await sweepDelays(entities.store.db, Date.now() + 25 * 3_600_000);
    expect(await failures()).toEqual([]);
  });
});
