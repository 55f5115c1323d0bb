import type { CallOptions } from '../api/call-options.ts';
import type { ListQuery } from '../api/generated/entities.ts';
import type { ListCall } from '../api/list-call.ts';
import { loadRest } from '../chunks/load.ts';

/**
 * Iterates over all rows of a list, page by page. `query.limit` is the page size (2 to 500, default 100),
 * `query.offset` the first row. Each page is fetched when it is needed.
 *
 * Rows may be added and deleted during the iteration. As long as the list keeps its order, no row is yielded twice, and
 * every row that exists during the whole iteration is yielded. Each page starts with the last row of the page before.
 * When that row has moved, the iteration goes back to a row that it has already seen. The ids of all rows seen stay in
 * memory; a row without an id, such as an entry of the audit log, stays as JSON.
 *
 * @example
 * for await (const identity of pages(edge.management.identities.list, { filter: 'isAdmin = true' })) {
 *   console.log(identity.name);
 * }
 */
export async function* pages<Row>(
  list: ListCall<Row>,
  query: ListQuery = {},
  options: CallOptions = {},
): AsyncGenerator<Row, void, undefined> {
  const { iteratePages } = await loadRest();
  yield* iteratePages(list, query, options);
}
