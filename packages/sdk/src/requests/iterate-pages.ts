import type { CallOptions } from '../api/call-options.ts';
import type { ListQuery } from '../api/generated/entities.ts';
import type { ListCall } from '../api/list-call.ts';

const defaultSize = 100;
const maxSize = 500;

/** What tells a row from all others. Some have no id: entries of the audit log, or texts such as role attributes. */
const keyOf = (row: unknown): string | undefined =>
  (row as { readonly id?: string } | undefined)?.id ?? JSON.stringify(row);

/** The iteration of `pages`. */
export async function* iteratePages<Row>(
  list: ListCall<Row>,
  query: ListQuery,
  options?: CallOptions,
): AsyncGenerator<Row, void, undefined> {
  const size = Math.max(2, Math.min(query.limit ?? defaultSize, maxSize));
  const start = query.offset ?? 0;
  const seen = new Set<string | undefined>();
  let offset = start;
  for (;;) {
    const { data, meta } = await list({ ...query, limit: size, offset }, options);
    const { pagination } = meta;
    if (offset > start && !seen.has(keyOf(data[0]))) {
      offset = Math.max(start, offset - size + 1);
      continue;
    }
    for (const row of data) {
      const key = keyOf(row);
      if (!seen.has(key)) yield row;
      seen.add(key);
    }
    // A list without pagination has one page.
    if (!pagination || data.length < Math.max(2, Math.min(size, pagination.limit))) return;
    offset += data.length - 1;
  }
}

/** All rows of a list. */
export async function allRows<Row>(list: ListCall<Row>, options?: CallOptions): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const row of iteratePages(list, {}, options)) rows.push(row);
  return rows;
}
