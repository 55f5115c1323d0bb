import type { Page } from './page.ts';

/** Maps the rows of a page, one batch at a time, when the batch is needed. */
export function mapPage<Row, Out>(page: Page<Row>, map: (rows: readonly Row[]) => Promise<readonly Out[]>): Page<Out> {
  return { ...page, batches: mapBatches(page.batches, map) };
}

async function* mapBatches<Row, Out>(
  batches: Page<Row>['batches'],
  map: (rows: readonly Row[]) => Promise<readonly Out[]>,
): AsyncGenerator<readonly Out[]> {
  for await (const rows of batches) yield await map(rows);
}
