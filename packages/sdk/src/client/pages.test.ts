import { expect, test } from 'vitest';
import type { ListCall } from '../api/list-call.ts';
import { pages } from './pages.ts';

interface Row {
  id: string;
}

function listOf(rows: Row[]) {
  const offsets: number[] = [];
  const list: ListCall<Row> = async ({ limit = 10, offset = 0 } = {}) => {
    offsets.push(offset);
    const pagination = { limit, offset, totalCount: rows.length };
    return { data: rows.slice(offset, offset + limit), meta: { pagination } };
  };
  return { list, offsets };
}

const numbered = (count: number) => Array.from({ length: count }, (_, index) => ({ id: String(index) }));

test.each([0, 1, 9, 10, 11, 95])('yields each of %s rows once', async (count) => {
  const { list } = listOf(numbered(count));
  const ids: string[] = [];
  for await (const { id } of pages(list, { limit: 10 })) ids.push(id);
  expect(ids).toEqual(numbered(count).map(({ id }) => id));
});

test('a loop that deletes each row reaches every row', async () => {
  const rows = numbered(57);
  const { list } = listOf(rows);
  const seen: string[] = [];
  for await (const row of pages(list, { limit: 5 })) {
    seen.push(row.id);
    rows.splice(
      rows.findIndex(({ id }) => id === row.id),
      1,
    );
  }
  expect(seen).toHaveLength(57);
  expect(rows).toEqual([]);
});

test('rows that are deleted and added during the iteration neither hide nor repeat other rows', async () => {
  const rows = numbered(40);
  const { list } = listOf(rows);
  const seen: string[] = [];
  for await (const row of pages(list, { limit: 7 })) {
    seen.push(row.id);
    if (seen.length === 7) rows.splice(0, 6);
    if (seen.length === 20) rows.unshift({ id: 'new-1' }, { id: 'new-2' }, { id: 'new-3' });
  }
  expect(new Set(seen).size).toBe(seen.length);
  expect(seen.filter((id) => !id.startsWith('new'))).toEqual(numbered(40).map(({ id }) => id));
});

test('fetches no further page after the loop has ended', async () => {
  const { list, offsets } = listOf(numbered(100));
  for await (const row of pages(list, { limit: 10 })) if (row.id === '3') break;
  expect(offsets).toEqual([0]);
});

test('yields rows without an id, and texts, once', async () => {
  const entries = Array.from({ length: 25 }, (_, sequence) => ({ sequence }));
  const texts = entries.map(({ sequence }) => `attribute ${sequence}`);
  for (const rows of [entries, texts]) {
    const list: ListCall<unknown> = async ({ limit = 10, offset = 0 } = {}) => {
      const pagination = { limit, offset, totalCount: rows.length };
      return { data: rows.slice(offset, offset + limit), meta: { pagination } };
    };
    const seen: unknown[] = [];
    for await (const row of pages(list, { limit: 10 })) seen.push(row);
    expect(seen).toEqual(rows);
  }
});
