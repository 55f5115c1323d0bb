import { isDeepStrictEqual } from 'node:util';
import type { Field } from '@edge-controller/shared-types';
import { sql } from 'kysely';
import { invalidField } from '../core/api-error.ts';
import { runCompiled } from '../storage/database/sql/run-compiled.ts';
import type { EntityName } from '../storage/entity-store/tables.ts';
import type { ProposedChange } from './define-entity.ts';
import type { AnyState, Entity } from './entity.ts';
import type { Semantic } from './roles.ts';
import { needOf } from './roles.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/** Writes the columns and sets of an entity that differ from the previous state. */
export async function save(
  change: ProposedChange,
  entity: Entity,
  next: AnyState,
  previous: AnyState | null,
): Promise<void> {
  await saveRow(change, entity, next, previous).catch((error: unknown) => {
    const column = change.unit.caller.database.violatedUnique(error);
    if (column === null || !entity.contract.fields[column]?.unique) throw error;
    const value = String(next[column]);
    throw (
      entity.options[column]?.taken?.(value, change.verb) ?? invalidField(column, `${column} must be unique`, value)
    );
  });
  for (const set of entity.sets) await saveSet(change, { ...set, next, previous });
}

async function saveRow(
  { unit: { tx, caller } }: ProposedChange,
  entity: Entity,
  next: AnyState,
  previous: AnyState | null,
) {
  const row: Record<string, unknown> = { updatedAt: next.updatedAt };
  if (!isDeepStrictEqual(next.tags, previous?.tags)) row.tags = JSON.stringify(next.tags);
  for (const { name, codec } of entity.columns) {
    if (previous && isDeepStrictEqual(next[name], previous[name])) continue;
    row[name] = next[name] === null ? null : codec.encode(next[name]);
  }
  const table = sql.table(entity.name);
  if (previous) {
    const columns = Object.entries(row).map(([name, value]) => sql`${sql.ref(name)} = ${value}`);
    await sql`update ${table} set ${sql.join(columns)} where "id" = ${next.id}`.execute(tx);
  } else {
    await insertRow({ tx, caller }, entity.name, { id: next.id, createdAt: next.createdAt, ...row });
  }
}

/** Rows of a table always have the same columns. */
async function insertRow(
  { tx, caller }: Pick<UnitOfWork, 'tx' | 'caller'>,
  table: EntityName,
  row: Readonly<Record<string, unknown>>,
): Promise<void> {
  const parameters = Object.values(row);
  const columns = () => sql.join(Object.keys(row).map((column) => sql.ref(column)));
  await runCompiled(tx, `${caller.database.dialect} insert ${table}`, {
    compile: () => sql`insert into ${sql.table(table)} (${columns()}) values (${sql.join(parameters)})`.compile(tx),
    parameters,
  });
}

interface SetChange {
  readonly name: string;
  readonly field: Field;
  readonly table: string;
  readonly next: AnyState;
  readonly previous: AnyState | null;
}

async function saveSet({ unit: { tx, caller } }: ProposedChange, set: SetChange): Promise<void> {
  const { name, field, next, previous } = set;
  const { semantic = '' } = field;
  const values = next[name] as string[];
  const isSame = previous !== null && isDeepStrictEqual(values, previous[name]);
  if (isSame && next[semantic] === previous[semantic]) return;
  const table = sql.table(set.table);
  const need = () => sql.lit(needOf(values, next[semantic] as Semantic));
  if (isSame) {
    // Updates the rows instead of writing them again, which could bring back a role of an entity that was deleted
    // meanwhile.
    await sql`update ${table} set "need" = ${need()} where "ownerId" = ${next.id}`.execute(tx);
    return;
  }
  if (previous) await sql`delete from ${table} where "ownerId" = ${next.id}`.execute(tx);
  if (values.length === 0) return;
  const rows = sql`select ${next.id}, element.value`;
  const elements = caller.database.sql.texts(values);
  if (field.kind === 'roles') {
    await sql`insert into ${table} ("ownerId", "value", "need") ${rows}, ${need()} from ${elements}`.execute(tx);
  } else {
    await sql`insert into ${table} ("ownerId", "value") ${rows} from ${elements}`.execute(tx);
  }
}
