import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { systemClock } from '../../../core/time/clock.ts';
import { describeSessionStore } from '../session-store.contract.ts';
import { openSqliteSessionStore } from './session-store.ts';

describeSessionStore('SQLite', async (timeout) => {
  const dir = mkdtempSync(join(tmpdir(), 'edge-sessions-'));
  const store = await openSqliteSessionStore({ file: join(dir, 'sessions.db'), timeout, clock: systemClock });
  return {
    store,
    async [Symbol.asyncDispose]() {
      await store.close();
      rmSync(dir, { recursive: true });
    },
  };
});

/** Milliseconds that the clock of the next store may be behind: the system tells its uptime in hundredths of a second. */
const uptimeStep = 30;

const record = {
  ...{
    id: 'c1',
    tokenHash: 'h',
    sealedToken: 's',
    identityId: 'i',
    authenticatorId: 'a',
    credentialVersion: 0,
    ipAddress: '::1',
  },
  ...{
    configTypes: [],
    createdAt: 1,
    updatedAt: 1,
    isMfaRequired: false,
    isMfaComplete: false,
    mfaId: null,
    mfaPassedAt: null,
    usesRouters: false,
    tokenReadBy: null,
    endsAt: null,
  },
  ...{ caId: null, caVersion: 0, signerId: null, signerVersion: 0, isCertExtendable: false },
  improperClientCertChain: false,
  ...{ method: 'password' as const },
};

it('keeps sessions after a restart', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'edge-sessions-'));
  const options = { file: join(dir, 'sessions.db'), timeout: 60_000, clock: systemClock };
  const before = await openSqliteSessionStore(options);
  await before.create(record);
  await before.close();
  const after = await openSqliteSessionStore(options);
  expect((await after.touch('h')).session).toMatchObject(record);
  await after.close();
  rmSync(dir, { recursive: true });
});

it('keeps the sessions of a file without a steady clock, and their timeouts', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'edge-sessions-'));
  const file = join(dir, 'sessions.db');
  const old = new Database(file);
  old.exec(`create table sessions (
    tokenHash text primary key, id text not null unique, sealedToken text not null, identityId text not null,
    authenticatorId text not null, ipAddress text not null, configTypes text not null, createdAt integer not null,
    updatedAt integer not null, isMfaRequired integer not null, isMfaComplete integer not null,
    lastActivityAt integer not null, expiresAt integer not null, method text not null default 'password', mfaId text
  ) without rowid;
  create table version (value integer not null);
  insert into version values (0);
  pragma user_version = 4`);
  const insert = old.prepare(`insert into sessions values (@id, @id, 's', 'i', 'a', '::1', '[]', 1, 1, 0, 0, 1,
    @expiresAt, 'password', null)`);
  const expiresAt = Date.now() + 60_000;
  insert.run({ id: 'live', expiresAt });
  insert.run({ id: 'expired', expiresAt: Date.now() - 1_000 });
  old.close();

  const store = await openSqliteSessionStore({ file, timeout: 60_000, clock: systemClock });
  const found = await store.find('live');
  // The store reads its two clocks one after the other.
  expect(Math.abs((found?.expiresAt ?? 0) - expiresAt)).toBeLessThan(5_000);
  expect(found?.lastActivityAt).toBe(1);
  // Nobody has recorded whether it has asked for routers.
  expect(found).toMatchObject({ caId: null, signerId: null, signerVersion: 0, usesRouters: null, tokenReadBy: null });
  expect((await store.touch('live')).session?.id).toBe('live');
  expect((await store.touch('expired')).session).toBeNull();
  await store.close();
  rmSync(dir, { recursive: true });
});

it('keeps the certificates of a file whose table of them has no row ids, and still deletes them with their session', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'edge-sessions-'));
  const options = { file: join(dir, 'sessions.db'), timeout: 60_000, clock: systemClock };
  const certificate = {
    ...{ id: 'x', subject: 'CN=a', fingerprint: 'f', validFrom: 1, validTo: 2, certPem: 'pem', createdAt: 3 },
  };
  const before = await openSqliteSessionStore(options);
  await before.create(record, { certificates: [certificate] });
  await before.close();
  const file = new Database(options.file);
  const [table] = file.prepare("select sql from sqlite_master where name = 'certificates'").pluck().all();
  file.exec(`alter table certificates rename to present; ${table} without rowid;
    insert into certificates select * from present; drop table present;
    drop table serviceSessions; drop table sessionData;
    alter table version drop column rights; alter table sessions drop column mfaPassedAt;
    alter table sessions drop column usesRouters; alter table sessions drop column tokenReadBy;
    alter table sessions drop column endsAt; pragma user_version = 9`);
  const left = () => file.prepare('select count(*) from certificates').pluck().get();

  const after = await openSqliteSessionStore(options);
  expect(await after.certificates.list('h')).toEqual([certificate]);
  expect(left()).toBe(1);
  expect(await after.remove(record)).toBe(true);
  expect(left()).toBe(0);
  await after.close();
  file.close();
  rmSync(dir, { recursive: true });
});

it('deletes the certificates of a session together with its row, also in a sweep', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'edge-sessions-'));
  const file = join(dir, 'sessions.db');
  const certificate = {
    ...{ id: 'x', subject: 'CN=a', fingerprint: 'f', validFrom: 1, validTo: 2, certPem: 'pem', createdAt: 3 },
  };
  const open = (timeout: number) => openSqliteSessionStore({ file, timeout, clock: systemClock });
  const reader = new Database(file);
  const left = () => reader.prepare('select tokenHash from certificates order by tokenHash').pluck().all();
  const before = await open(300);
  for (const tokenHash of ['removed', 'expired']) {
    await before.create({ ...record, id: tokenHash, tokenHash }, { certificates: [certificate] });
  }
  expect(left()).toEqual(['expired', 'removed']);
  await before.remove({ ...record, id: 'removed', tokenHash: 'removed' });
  expect(left()).toEqual(['expired']);
  await expect.poll(() => before.find('expired')).toBeNull();
  await sleep(uptimeStep);
  await before.close();
  // A store sweeps when it opens, and then every few seconds.
  const after = await open(300);
  await expect.poll(left).toEqual([]);
  await after.close();
  reader.close();
  rmSync(dir, { recursive: true });
});

it('keeps an expired session until its end is recorded, also over a restart', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'edge-sessions-'));
  const named: string[] = [];
  const open = (answer: Promise<void>) =>
    openSqliteSessionStore({
      ...{ file: join(dir, 'sessions.db'), timeout: 100, clock: systemClock },
      async onExpired(sessions) {
        named.push(...sessions.map(({ id }) => id));
        await answer;
      },
    });
  const before = await open(Promise.resolve());
  for (const id of ['a', 'b']) await before.create({ ...record, id, tokenHash: id });
  await expect.poll(() => before.find('b')).toBeNull();
  expect(await before.touch('a')).toMatchObject({ session: null });
  await sleep(uptimeStep);
  await before.close();
  const refused = Promise.reject(new Error('the audit log cannot be written'));
  refused.catch(() => undefined);
  for (const answer of [refused, new Promise<never>(() => undefined), Promise.resolve()]) {
    const store = await open(answer);
    await expect.poll(() => named.splice(0).toSorted()).toEqual(['a', 'b']);
    expect((await store.list({})).pagination?.totalCount).toBe(0);
    await store.close();
  }
  const last = await open(Promise.resolve());
  await last.create({ ...record, id: 'c', tokenHash: 'c' });
  expect(named).toEqual([]);
  await last.close();
  rmSync(dir, { recursive: true });
});
