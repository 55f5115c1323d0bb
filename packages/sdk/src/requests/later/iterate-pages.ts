import type { CallOptions } from '../../api/call-options.ts';
import type { ListQuery } from '../../api/generated/entities.ts';
import type { ListCall } from '../../api/list-call.ts';

const defaultSize = 100;
const maxSize = 500;

/** The iteration of `pages`. */
export async function* iteratePages<Row>(
  list: ListCall<Row>,
  query: ListQuery,
  options: CallOptions,
): AsyncGenerator<Row, void, undefined> {
  const size = Math.min(Math.max(query.limit ?? defaultSize, 2), maxSize);
  const start = query.offset ?? 0;
  const seen = new Set<string>();
  let offset = start;
  for (;;) {
    const { data, meta } = await list({ ...query, limit: size, offset }, options);
    const first = data[0];
    if (offset > start && (first === undefined || !seen.has(keyOf(first)))) {
      offset = Math.max(start, offset - (size - 1));
      continue;
    }
    for (const row of data) {
      const key = keyOf(row);
      if (seen.has(key)) continue;
      seen.add(key);
      yield row;
    }
    // A list without pagination has one page.
    if (meta.pagination === undefined || data.length < Math.max(2, Math.min(size, meta.pagination.limit))) return;
    offset += data.length - 1;
  }
}

/** All rows of a list. */
export async function allRows<Row>(list: ListCall<Row>, options: CallOptions = {}): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const row of iteratePages(list, {}, options)) rows.push(row);
  return rows;
}

/** What tells a row from all others. Some have no id: entries of the audit log, or texts such as role attributes. */
function keyOf(row: unknown): string {
  const { id } = row as { readonly id?: unknown };
  return typeof id === 'string' ? id : JSON.stringify(row);
}
