import type { Kysely, Transaction } from 'kysely';
import { sql } from 'kysely';
import { notFound } from '../core/api-error.ts';
import { inValues } from '../storage/database/sql/select-values.ts';
import type { EntityStore, Tables } from '../storage/entity-store/entity-store.ts';
import type { AnyState, Entity } from './entity.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/** A row of a table whose name is known only at run time. */
export type AnyRow = Record<string, unknown>;

/** Where rows are read: the database or a transaction, and its SQL. */
export interface ReadSource {
  readonly db: Kysely<Tables> | Transaction<Tables>;
  readonly sql: EntityStore['sql'];
}

/** Reads entities by their ids, in any order. Unknown ids are left out. */
export async function readStates(source: ReadSource, entity: Entity, ids: readonly string[]): Promise<AnyState[]> {
  const read =
    await sql<AnyRow>`select * from ${sql.table(entity.name)} where "id" in ${inValues(source.sql, ids)}`.execute(
      source.db,
    );
  return await decodeRows(source, entity, read.rows);
}

/** Reads and locks an entity for a change. Concurrent changes of the same entity wait. */
export async function lockState({ tx, caller }: UnitOfWork, entity: Entity, id: string): Promise<AnyState> {
  await lockParents({ tx, caller }, entity, id);
  const dialect = caller.database.sql;
  const read = await sql<AnyRow>`select * from ${sql.table(entity.name)}
    where "id" = ${id} ${dialect.forUpdate}`.execute(tx);
  const [state] = await decodeRows({ db: tx, sql: dialect }, entity, read.rows);
  if (!state) throw notFound(entity.contract.noun, id);
  return state;
}

/** A deletion locks the parent and then its children. Another order could deadlock. */
async function lockParents({ tx, caller }: Pick<UnitOfWork, 'tx' | 'caller'>, entity: Entity, id: string) {
  if (caller.database.dialect === 'sqlite') return;
  for (const [name, { kind, to }] of Object.entries(entity.contract.fields)) {
    if (kind !== 'reference' || entity.options[name]?.onDelete !== 'cascade' || to === undefined) continue;
    const parent = sql`select ${sql.ref(name)} from ${sql.table(entity.name)} where "id" = ${id}`;
    await sql`select "id" from ${sql.table(to)} where "id" = (${parent}) for update`.execute(tx);
  }
}

/** Decodes rows and reads their sets: one query for each set field, however many rows there are. */
export async function decodeRows(source: ReadSource, entity: Entity, rows: readonly AnyRow[]): Promise<AnyState[]> {
  const states = rows.map((row) => {
    const { id, createdAt, updatedAt } = row;
    const state: AnyRow = { id, createdAt, updatedAt, tags: JSON.parse(String(row.tags)) };
    for (const { name, codec } of entity.columns) state[name] = row[name] === null ? null : codec.decode(row[name]);
    for (const { name } of entity.sets) state[name] = [];
    return state as AnyState;
  });
  if (states.length === 0) return states;
  const byId = new Map(states.map((state) => [state.id, state]));
  for (const { name, table } of entity.sets) {
    const owners = inValues(source.sql, [...byId.keys()]);
    const read = await sql<{ ownerId: string; value: string }>`select "ownerId", "value" from ${sql.table(table)}
      where "ownerId" in ${owners} order by "value"`.execute(source.db);
    const setOf = (ownerId: string) => byId.get(ownerId)?.[name] as string[] | undefined;
    for (const { ownerId, value } of read.rows) setOf(ownerId)?.push(value);
  }
  return states;
}
