import type { Meta } from './generated/entities.ts';

/** `meta` of a list. `pagination` has the position of the page and the total number of rows. */
export type ListMeta = Pick<Meta, 'filterableFields' | 'pagination'>;

/** One page of a list. */
export interface ListPage<Row> {
  readonly data: Row[];
  readonly meta: ListMeta;
}
