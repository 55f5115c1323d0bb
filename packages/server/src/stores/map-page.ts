import type { Page } from './page.ts';

const chunkLength = 200;

/** Maps the rows of a page. It maps a page without a limit in chunks, so that a long list needs little memory. */
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
