import { isDeepStrictEqual } from 'node:util';
import type { Field } from '@edge-controller/shared-types';
import { sql } from 'kysely';
import { ApiError, invalidField, notFound } from '../core/api-error.ts';
import { runCompiled } from '../storage/database/sql/run-compiled.ts';
import { inValues } from '../storage/database/sql/select-values.ts';
import type { EntityName } from '../storage/entity-store/tables.ts';
import { setTable } from './codec.ts';
import type { AnyState, Entity } from './entity.ts';
import { idsOfRoles } from './roles.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/**
 * Checks that all entities exist that an entity refers to, and locks them against deletion until the commit.
 *
 * @throws 404 for a reference, 400 for a role with an unknown id
 */
export async function checkReferences(unit: UnitOfWork, entity: Entity, next: AnyState, previous: AnyState | null) {
  for (const [name, field] of Object.entries(entity.contract.fields)) {
    const { to, kind } = field;
    if (to === undefined || isDeepStrictEqual(next[name], previous?.[name])) continue;
    const missing = await missingOf(unit, to as EntityName, referredIds(name, field, next[name]));
    const [first] = missing;
    if (first === undefined) continue;
    if (kind === 'roles') throw invalidField(name, `no ${to} found with the given ids`, `[${missing.join(' ')}]`);
    const target = unit.caller.definitions[to as EntityName].contract;
    if (kind === 'references') throw notFound(target.collection, missing.join(', '));
    throw entity.options[name]?.unknown?.(first) ?? notFound(target.noun, first);
  }
}

function referredIds(name: string, { kind }: Field, value: unknown): readonly string[] {
  if (value === null) return [];
  if (kind === 'roles') return checkedRoles(name, value as string[]);
  return kind === 'references' ? (value as string[]) : [String(value)];
}

/** Returns the ids in roles. Refuses entries that are no roles. */
function checkedRoles(name: string, roles: readonly string[]): string[] {
  const list = (some: readonly string[]) => `[${some.join(' ')}]`;
  const bad = roles.filter((role) => !/^[#@]./s.test(role));
  if (bad.length > 0) {
    const reason = 'role entries must prefixed with # (to indicate role attributes) or @ (to indicate a name or id)';
    throw invalidField(name, reason, list(bad));
  }
  if (roles.includes('#all') && roles.length > 1) {
    throw invalidField(name, 'if using #all, it should be the only role specified', list(roles));
  }
  return idsOfRoles(roles);
}

/** Returns the ids that no entity has. Locks the entities with the other ids against deletion until the commit. */
export async function missingOf(
  { tx, caller }: UnitOfWork,
  table: EntityName,
  ids: readonly string[],
): Promise<string[]> {
  if (ids.length === 0) return [];
  const { database } = caller;
  const { sql: dialect } = database;
  const known = () => sql<{ id: string }>`select "id" from ${sql.table(table)}
    where "id" in ${inValues(dialect, ids)} ${dialect.forKeyShare}`;
  const read = await runCompiled(tx, `${database.dialect} known ${table}`, {
    compile: () => known().compile(tx),
    parameters: [dialect.textsParameter(ids)],
  });
  const found = new Set(read.rows.map(({ id }) => id));
  return ids.filter((id) => !found.has(id));
}

/** @throws 409 `CAN_NOT_DELETE_REFERENCED_ENTITY` when another entity has a reference that restricts */
export async function refuseReferenced({ tx, caller }: UnitOfWork, { name, contract }: Entity, id: string) {
  for (const other of Object.values(caller.definitions)) {
    for (const [field, { kind, to }] of Object.entries(other.contract.fields)) {
      if (kind !== 'reference' || to !== name || other.options[field]?.onDelete === 'cascade') continue;
      const read = await sql<{ id: string }>`select "id" from ${sql.table(other.name)}
        where ${sql.ref(field)} = ${id} limit 1`.execute(tx);
      const [referring] = read.rows;
      if (!referring) continue;
      const value = `[${referring.id}]`;
      const reason = `entity type ${contract.noun} referenced by ${other.contract.noun}: ${value}`;
      throw new ApiError('CAN_NOT_DELETE_REFERENCED_ENTITY', { cause: { field, reason, value } });
    }
  }
}

/** Takes `@id` out of all roles. */
export async function removeFromRoles({ tx, caller }: UnitOfWork, { name }: Entity, id: string): Promise<void> {
  for (const other of Object.values(caller.definitions)) {
    for (const [field, { kind, to }] of Object.entries(other.contract.fields)) {
      if (kind !== 'roles' || to !== name) continue;
      await sql`delete from ${sql.table(setTable(other.name, field))} where "value" = ${`@${id}`}`.execute(tx);
    }
  }
}
