import type { ListQuery } from '@edge-controller/shared-types';
import type { ListPage } from './calls.ts';
import type { CallOptions } from './options.ts';

/** A list call of either API: `edge.management.identities.list`. */
export type ListCall<Row> = (query?: ListQuery, options?: CallOptions) => Promise<ListPage<Row>>;

const defaultSize = 100;
const largestSize = 500;

/**
 * Iterates over all rows of a list, page by page. `query.limit` is the page size (2 to 500, default 100),
 * `query.offset` the row to begin with. The next page is asked for when it is needed.
 *
 * Rows may come and go meanwhile: no row is yielded twice, and none that is there all the time is left out, as long as
 * the list keeps its order. Each page begins with the last row of the one before; when that row has moved, the
 * iteration goes back until it meets a row it knows. The ids of the rows seen are kept in memory.
 *
 * @example
 * for await (const identity of pages(edge.management.identities.list, { filter: 'isAdmin = true' })) { … }
 */
export async function* pages<Row extends { id: string }>(
  list: ListCall<Row>,
  query: ListQuery = {},
  options: CallOptions = {},
): AsyncGenerator<Row, void, undefined> {
  const size = Math.min(Math.max(query.limit ?? defaultSize, 2), largestSize);
  const begin = query.offset ?? 0;
  const seen = new Set<string>();
  let offset = begin;
  for (;;) {
    const { data, meta } = await list({ ...query, limit: size, offset }, options);
    const first = data[0];
    if (offset > begin && (first === undefined || !seen.has(first.id))) {
      offset = Math.max(begin, offset - (size - 1));
      continue;
    }
    for (const row of data) {
      if (seen.has(row.id)) continue;
      seen.add(row.id);
      yield row;
    }
    // A list without pagination came as a whole.
    if (meta.pagination === undefined || data.length < Math.max(2, Math.min(size, meta.pagination.limit))) return;
    offset += data.length - 1;
  }
}
