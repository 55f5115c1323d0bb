import type { CallOptions } from './call-options.ts';
import type { ListQuery } from './generated/entities.ts';
import type { ListPage } from './list-page.ts';

/** A list call of either API: `edge.management.identities.list`. */
export type ListCall<Row> = (query?: ListQuery, options?: CallOptions) => Promise<ListPage<Row>>;
