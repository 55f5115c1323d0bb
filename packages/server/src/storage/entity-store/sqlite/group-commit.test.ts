import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { GroupCommitOptions } from './group-commit.ts';
import { GroupCommit } from './group-commit.ts';

let folder = '';
let file = '';
let statements: string[] = [];
let database: Database.Database;
let reader: Database.Database;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'edge-group-'));
  file = join(folder, 'group.db');
  statements = [];
  database = new Database(file, { verbose: (text) => statements.push(String(text)) });
  database.pragma('journal_mode = WAL');
  database.exec(`create table parent (id integer primary key);
    create table child (parentId integer references parent (id) deferrable initially deferred)`);
  reader = new Database(file);
});
afterEach(() => {
  database.close();
  reader.close();
  rmSync(folder, { recursive: true });
});

const commits = () => statements.filter((text) => text === 'commit').length;
const stored = () => reader.prepare('select id from parent order by id').pluck().all();

const open = (options: Partial<GroupCommitOptions> = {}) =>
  new GroupCommit(database, { maxChangeTime: 10_000, flush: async () => undefined, ...options });

async function insert(changes: GroupCommit, id: number): Promise<void> {
  const change = await changes.begin();
  change.run(() => database.prepare('insert into parent values (?)').run(id));
  await change.commit();
}

describe('a group of changes', () => {
  it('has one commit for all changes that come at once', async () => {
    const changes = open();
    const ids = Array.from({ length: 40 }, (_, at) => at);
    await Promise.all(ids.map((id) => insert(changes, id)));
    expect(stored()).toEqual(ids);
    // A slow machine may need longer than the time of one group.
    expect(commits()).toBeLessThan(10);
    await insert(changes, 100);
    expect(stored()).toContain(100);
  });

  // A group ends after 10 ms, so a busy machine may make two of these changes.
  it('is undone as a whole when its commit fails, and the next group works', { retry: 5 }, async () => {
    const changes = open();
    const orphan = async () => {
      const change = await changes.begin();
      change.run(() => database.prepare('insert into child values (7)').run());
      await change.commit();
    };
    const failed = async () => {
      const change = await changes.begin();
      await change.rollback();
    };
    const outcomes = await Promise.allSettled([insert(changes, 1), orphan(), failed(), insert(changes, 2)]);
    for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: { code: 'STORE_UNAVAILABLE' } });
    expect(stored()).toEqual([]);
    await insert(changes, 3);
    expect(stored()).toEqual([3]);
  });

  it('rolls back a change that takes too long, and lets the others go on', async () => {
    const changes = open({ maxChangeTime: 50 });
    const slow = await changes.begin();
    slow.run(() => database.prepare('insert into parent values (1)').run());
    await insert(changes, 2);
    expect(() => slow.run(() => undefined)).toThrow();
    await expect(slow.commit()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await slow.rollback();
    await insert(changes, 3);
    expect(stored()).toEqual([2, 3]);
  });

  it('fails for all its changes when SQLite ends the transaction, and the next group works', async () => {
    const changes = open();
    const ended = async () => {
      const change = await changes.begin();
      try {
        change.run(() => database.prepare('insert or rollback into parent values (?)').run(1));
      } finally {
        await change.rollback();
      }
    };
    const outcomes = await Promise.allSettled([insert(changes, 1), ended()]);
    for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: { code: 'STORE_UNAVAILABLE' } });
    expect(stored()).toEqual([]);
    await insert(changes, 2);
    expect(stored()).toEqual([2]);
  });

  it('waits for another process that writes, without blocking the event loop', async () => {
    const changes = open();
    reader.exec('begin immediate');
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 5);
    const waiting = insert(changes, 1);
    await sleep(300);
    clearInterval(timer);
    expect(turns).toBeGreaterThan(10);
    reader.exec('rollback');
    await waiting;
    expect(stored()).toEqual([1]);
  });

  it('fails with STORE_UNAVAILABLE when another process writes for more than 2 seconds', async () => {
    const changes = open();
    reader.exec('begin immediate');
    const outcomes = await Promise.allSettled([insert(changes, 1), insert(changes, 2), insert(changes, 3)]);
    for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: { code: 'STORE_UNAVAILABLE' } });
    reader.exec('rollback');
    await insert(changes, 4);
    expect(stored()).toEqual([4]);
  });

  it('is committed before the database closes', async () => {
    const changes = open();
    const [last] = await Promise.all([insert(changes, 1), changes.close()]);
    expect(last).toBeUndefined();
    expect(stored()).toEqual([1]);
  });

  it('has its results when it is on the disk, and the next group begins before', async () => {
    const flushes: PromiseWithResolvers<void>[] = [];
    const flush = () => {
      const flushed = Promise.withResolvers<void>();
      flushes.push(flushed);
      return flushed.promise;
    };
    const changes = open({ flush });
    const ended: number[] = [];
    const insertAndRecord = async (id: number) => {
      await insert(changes, id);
      ended.push(id);
    };
    const first = insertAndRecord(1);
    await expect.poll(stored).toEqual([1]);
    const second = insertAndRecord(2);
    await expect.poll(stored).toEqual([1, 2]);
    const closed = changes.close().then(() => ended.push(0));
    await sleep(20);
    expect(ended).toEqual([]);
    flushes[0]?.resolve();
    await first;
    expect(ended).toEqual([1]);
    flushes[1]?.resolve();
    await Promise.all([second, closed]);
    expect(ended.toSorted()).toEqual([0, 1, 2]);
  });

  it('fails when it does not reach the disk, and no change begins afterwards', async () => {
    const changes = open({ flush: async () => Promise.reject(new Error('the disk is broken')) });
    await expect(insert(changes, 1)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await expect(changes.begin()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(stored()).toEqual([1]);
  });
});
