import type { ListQuery } from '@edge-controller/shared-types';
import type { ListPage } from './calls.ts';
import type { CallOptions } from './options.ts';

/** A list call of either API: `edge.management.identities.list`. */
export type ListCall<Row> = (query?: ListQuery, options?: CallOptions) => Promise<ListPage<Row>>;

const defaultSize = 100;
const maxSize = 500;

/**
 * Iterates over all rows of a list, page by page. `query.limit` is the page size (2 to 500, default 100),
 * `query.offset` the first row. Each page is fetched when it is needed.
 *
 * Rows may be added and deleted during the iteration. As long as the list keeps its order, no row is yielded twice, and
 * every row that exists during the whole iteration is yielded. Each page starts with the last row of the page before.
 * When that row has moved, the iteration goes back to a row that it has already seen. The ids of all rows seen stay in
 * memory.
 *
 * @example
 * for await (const identity of pages(edge.management.identities.list, { filter: 'isAdmin = true' })) { … }
 */
export async function* pages<Row extends { id: string }>(
  list: ListCall<Row>,
  query: ListQuery = {},
  options: CallOptions = {},
): AsyncGenerator<Row, void, undefined> {
  const size = Math.min(Math.max(query.limit ?? defaultSize, 2), maxSize);
  const start = query.offset ?? 0;
  const seen = new Set<string>();
  let offset = start;
  for (;;) {
    const { data, meta } = await list({ ...query, limit: size, offset }, options);
    const first = data[0];
    if (offset > start && (first === undefined || !seen.has(first.id))) {
      offset = Math.max(start, offset - (size - 1));
      continue;
    }
    for (const row of data) {
      if (seen.has(row.id)) continue;
      seen.add(row.id);
      yield row;
    }
    // A list without pagination has one page.
    if (meta.pagination === undefined || data.length < Math.max(2, Math.min(size, meta.pagination.limit))) return;
    offset += data.length - 1;
  }
}
