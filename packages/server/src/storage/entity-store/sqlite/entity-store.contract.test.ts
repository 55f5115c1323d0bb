import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { describeEntityStore } from '../entity-store.contract.ts';
import { describeSlowLists } from '../slow-lists.contract.ts';
import { describeTransactions } from '../transactions.contract.ts';
import { openSqliteEntityStore } from './entity-store.ts';

const open = async () => {
  const dir = mkdtempSync(join(tmpdir(), 'edge-entities-'));
  const reopen = () => openSqliteEntityStore({ file: join(dir, 'entities.db') });
  const store = await reopen();
  return {
    store,
    reopen,
    async [Symbol.asyncDispose]() {
      await store.close();
      rmSync(dir, { recursive: true });
    },
  };
};

describeEntityStore('SQLite', open);
describeTransactions('SQLite', open);
describeSlowLists('SQLite', open);

it('has no deferred constraint: the commit would check it, and then all changes of a group would fail', async () => {
  await using opened = await open();
  const { rows } = await sql<{ sql: string | null }>`select sql from sqlite_schema`.execute(opened.store.db);
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.filter((row) => /deferr/i.test(row.sql ?? ''))).toEqual([]);
});
