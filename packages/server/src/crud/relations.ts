import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Services } from '../call.ts';
import type { EntityName } from '../entity-store/tables.ts';
import { setTable } from './codec.ts';

/** Which entities belong to the parent: a condition on `t`, the row of the listed entity. */
export type Relation = (services: Services, parentId: string) => Promise<RawBuilder<boolean>>;

/** Those whose reference `field` is the parent. */
export function referring(field: string): Relation {
  return async (_services, id) => sql<boolean>`${sql.ref(`t.${field}`)} = ${id}`;
}

/** Those whose boolean `field` is true: a condition on `t`, the row. */
export function whereTrue(field: string): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(`t.${field}`)} = 1`;
}

/** Those that the references `field` of the parent `owner` list. */
export function listedIn(owner: EntityName, field: string): Relation {
  return async (_services, id) =>
    sql<boolean>`t."id" in (select "value" from ${sql.table(setTable(owner, field))} where "ownerId" = ${id})`;
}

/** Those whose references `field` list the parent. */
export function listing(owner: EntityName, field: string): Relation {
  return async (_services, id) =>
    sql<boolean>`t."id" in (select "ownerId" from ${sql.table(setTable(owner, field))} where "value" = ${id})`;
}
