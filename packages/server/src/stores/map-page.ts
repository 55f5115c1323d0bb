import type { Page } from './page.ts';

const chunkLength = 200;

/** Maps a page in chunks, so that a list of any length costs a fixed number of queries per chunk and flat memory. */
export async function mapPage<Row, Out>(
  page: Page<Row>,
  map: (rows: readonly Row[]) => Promise<readonly Out[]>,
): Promise<Page<Out>> {
  if (page.pagination?.limit !== 'none') {
    const rows: Row[] = [];
    for await (const row of page.rows) rows.push(row);
    return { ...page, rows: await map(rows) };
  }
  return { ...page, rows: mapChunks(page.rows, map) };
}

async function* mapChunks<Row, Out>(
  rows: Iterable<Row> | AsyncIterable<Row>,
  map: (rows: readonly Row[]) => Promise<readonly Out[]>,
): AsyncGenerator<Out> {
  let chunk: Row[] = [];
  for await (const row of rows) {
    chunk.push(row);
    if (chunk.length < chunkLength) continue;
    yield* await map(chunk);
    chunk = [];
  }
  yield* await map(chunk);
}
