import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, inject, it } from 'vitest';
import { generateData, plainRows, thingFields } from '../../../../test/support/filter-data.ts';
import type { FilterTables } from '../../../../test/support/filter-tables.ts';
import { openPostgresTables, openSqliteTables } from '../../../../test/support/filter-tables.ts';
import { requests } from '../../../../test/support/filter-text.ts';
import type { FilterRows } from '../../../core/filter/evaluate.ts';
import { compareRows, evaluate } from '../../../core/filter/evaluate.ts';
import { mapPage } from '../../../core/filter/map-page.ts';
import type { Page, Query } from '../../../core/filter/page.ts';
import { isoTime } from '../../../core/time/clock.ts';
import { select } from '../select.ts';
import { listRows } from './list-rows.ts';

interface Thing {
  readonly id: string;
  readonly tags: string;
}

function list({ db, dialect }: FilterTables, query: Query): Promise<Page<Thing>> {
  const table = { table: 'things', fields: thingFields, longColumns: ['tags', 'rules'] };
  return listRows<Thing>({ db, dialect, date: isoTime, ...table, query });
}

async function idsOf(tables: FilterTables, query: Query): Promise<unknown[]> {
  const { batches, pagination } = await list(tables, query);
  const ids: string[] = [];
  for await (const rows of batches) ids.push(...rows.map(({ id }) => id));
  return [pagination?.totalCount, ...ids];
}

function idsByEvaluation(data: FilterRows, query: Query): unknown[] {
  const { expression, sort, limit, offset, isEmpty } = select(query, thingFields);
  const rows = data.things?.filter((row) => expression === null || evaluate(expression, row, data)) ?? [];
  const sorted = rows.toSorted((left, right) => compareRows(sort, left, right, data));
  const page = isEmpty ? [] : sorted.slice(offset, limit === 'none' ? undefined : offset + limit);
  return [rows.length, ...page.map(({ id }) => id)];
}

it('has the same rows in the same order on SQLite, on PostgreSQL and by plain evaluation', async () => {
  await using sqlite = await openSqliteTables();
  await using postgres = await openPostgresTables(inject('postgresUrl'));
  const check = async (seed: number) => {
    const stored = generateData(seed, 120);
    await Promise.all([sqlite.insert(stored), postgres.insert(stored)]);
    const data = plainRows(stored);
    const hasSameRows = fc.asyncProperty(requests, async (query) => {
      const expected = idsByEvaluation(data, query);
      expect(await idsOf(sqlite, query)).toEqual(expected);
      expect(await idsOf(postgres, query)).toEqual(expected);
    });
    await fc.assert(hasSameRows, { numRuns: 300, seed });
  };
  // On failure, the message has the seed of the data and of the filters.
  await check(Math.floor(Math.random() * 2 ** 31));
});

const databases = [
  ['SQLite', openSqliteTables],
  ['PostgreSQL', () => openPostgresTables(inject('postgresUrl'))],
] as const;

describe.each(databases)('a list on %s', (_name, open) => {
  const row = (at: number) => ({ flag: 0, createdAt: isoTime(at), tags: '{}', rules: '{}' });

  it('finds a page of many rows with the same attribute in the order of an index', async () => {
    await using tables = await open();
    const ids = Array.from({ length: 1_500 }, (_, at) => `t${String(at).padStart(4, '0')}`);
    await tables.insert({
      things: ids.map((id, at) => ({ id, ...row(1_500 - at) })),
      things_words: ids.flatMap((ownerId) => [
        ...(ownerId.endsWith('7') ? [] : [{ ownerId, value: 'many' }]),
        ...[ownerId, 'all'].map((value) => ({ ownerId, value })),
      ]),
    });
    const many = ids.filter((id) => !id.endsWith('7'));
    const filter = 'anyOf(words) = "many"';
    expect(await idsOf(tables, { filter, limit: 3, offset: 6 })).toEqual([1_350, ...many.slice(6, 9)]);
    expect(await idsOf(tables, { filter, sort: 'createdAt', limit: 2 })).toEqual([1_350, 't1499', 't1498']);
    expect(await idsOf(tables, { filter: `${filter} and id < "t0002"` })).toEqual([2, 't0000', 't0001']);
    expect(await idsOf(tables, { filter: 'anyOf(words) in ["many","all"]', limit: 1 })).toEqual([1_500, 't0000']);
    expect(await idsOf(tables, { filter, offset: 2_000 })).toEqual([1_350]);
  });

  it('reads long rows in batches of at most 1 MiB, when they are needed', async () => {
    await using tables = await open();
    const json = JSON.stringify({ a: 'x'.repeat(65_000) });
    const ids = Array.from({ length: 200 }, (_, at) => `t${String(at).padStart(3, '0')}`);
    for (const id of ids) await tables.insert({ things: [{ id, ...row(0), tags: json, rules: json }] });
    const read = async () => {
      const page = mapPage(await list(tables, { limit: 500 }), async (rows) =>
        rows.map(({ tags }) => JSON.parse(tags)),
      );
      const batches = (page.batches as AsyncIterable<readonly object[]>)[Symbol.asyncIterator]();
      await batches.next();
      return { batches, batch: await batches.next() };
    };
    const before = heapMegabytes();
    const readers = await Promise.all(Array.from({ length: 8 }, read));
    expect(readers.map(({ batch }) => batch.value.length)).toEqual(Array(8).fill(8));
    // All pages together are 200 MB.
    expect(heapMegabytes() - before).toBeLessThan(8 * 4);
    await tables.db.deleteFrom('things').where('id', '>', 't003').execute();
    expect((await readers[0]!.batches.next()).value).toEqual([]);
  });
});

function heapMegabytes(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed / 1_048_576;
}
