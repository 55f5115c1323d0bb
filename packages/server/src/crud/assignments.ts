import type { AnyAssignment, AssignedEntities, EntityRef } from '@edge-controller/shared-types';
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import { notFound } from '../core/api-error.ts';
import type { Page } from '../core/filter/page.ts';
import { isoTime } from '../core/time/clock.ts';
import { inValues } from '../storage/database/sql/select-values.ts';
import type { EntityName } from '../storage/entity-store/tables.ts';
import { authorize } from './authorize.ts';
import { setTable } from './codec.ts';
import type { Source } from './read.ts';
import { lockState, readStates } from './read.ts';
import { readRefs } from './read-refs.ts';
import { recordChange } from './record-change.ts';
import { missingOf } from './references.ts';
import { noteAssigned } from './service-updates/note-assigned.ts';
import type { Services } from './services.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/** Member of an assignment → id. */
type Assigned = Readonly<Record<string, string>>;

interface Owner {
  readonly entity: EntityName;
  readonly id: string;
}

/**
 * Reads all that is assigned to an entity.
 *
 * @throws 404 when there is no such entity
 */
export async function listAssigned(
  services: Services,
  { entity, id }: Owner,
  { verb, assignment }: AssignedEntities,
): Promise<Page<object>> {
  const definition = services.definitions[entity];
  const [owner] = await readStates(services.entities, definition, [id]);
  if (!owner) throw notFound(definition.contract.noun, id);
  const rows = await readAssigned(services.entities, setTable(entity, verb), { id, assignment });
  const refs = await Promise.all(
    Object.entries(assignment.members).map(async ([member, to]) => {
      const known = await readRefs(
        services,
        to as EntityName,
        rows.map((row) => row[member] ?? ''),
      );
      return [member, known] as const;
    }),
  );
  const details = rows.map((row) => ({ ...row, ...refsOf(row, refs) }));
  return { batches: [details], pagination: { limit: rows.length, offset: 0, totalCount: rows.length } };
}

function refsOf(row: Assigned, refs: readonly (readonly [string, ReadonlyMap<string, EntityRef>])[]): object {
  return Object.fromEntries(refs.map(([member, known]) => [member.slice(0, -2), known.get(row[member] ?? '')]));
}

/**
 * Assigns entities to an entity. An assignment for the same third entity, with the same `onePer` if there is one, replaces the
 * earlier one.
 *
 * @throws 404 when the entity, or one of those that the request names, does not exist
 */
export function assign(unit: UnitOfWork, owner: Owner, to: AssignedEntities, all: readonly Assigned[]): Promise<void> {
  return change(unit, owner, to, all, async (table, assigned) => {
    const columns = Object.keys(to.assignment.members);
    const values = [owner.id, ...columns.map((column) => assigned[column])];
    const names = ['ownerId', ...columns].map((column) => sql.ref(column));
    await sql`insert into ${table} (${sql.join(names)}) values (${sql.join(values)})`.execute(unit.tx);
  });
}

/**
 * Removes the assignments that `assign` would replace. Ignores what is not assigned.
 *
 * @throws 404 as `assign`
 */
export function removeAssigned(
  unit: UnitOfWork,
  owner: Owner,
  from: AssignedEntities,
  all: readonly Assigned[],
): Promise<void> {
  return change(unit, owner, from, all, async () => undefined);
}

async function change(
  unit: UnitOfWork,
  { entity, id }: Owner,
  { verb, assignment }: AssignedEntities,
  all: readonly Assigned[],
  fill: (table: RawBuilder<unknown>, assigned: Assigned) => Promise<void>,
): Promise<void> {
  const { tx, caller } = unit;
  const definition = caller.definitions[entity];
  const state = await lockState(unit, definition, id);
  await authorize({ unit, verb: 'set', body: {} }, definition, { previous: state, next: state });
  await refuseUnknown(unit, assignment, all);
  const name = setTable(entity, verb);
  const source = { db: tx, sql: caller.entities.sql };
  const before = await readAssigned(source, name, { id, assignment });
  const table = sql.table(name);
  for (const assigned of all) {
    await sql`delete from ${table} where "ownerId" = ${id} and ${whereReplaced(assignment, assigned)}`.execute(tx);
    await fill(table, assigned);
  }
  const updatedAt = isoTime(caller.clock());
  await sql`update ${sql.table(entity)} set "updatedAt" = ${updatedAt} where "id" = ${id}`.execute(tx);
  const after = await readAssigned(source, name, { id, assignment });
  if (entity === 'identities') await noteAssigned(unit, id, { before, after });
  recordChange(unit, definition, {
    ...{ eventType: 'updated', id },
    previous: { ...state, [verb]: before },
    next: { ...state, updatedAt, [verb]: after },
  });
}

async function refuseUnknown(unit: UnitOfWork, { members }: AnyAssignment, all: readonly Assigned[]): Promise<void> {
  for (const [member, to] of Object.entries(members)) {
    const ids = new Set(all.map((assigned) => assigned[member] ?? ''));
    const missing = await missingOf(unit, to as EntityName, [...ids]);
    if (missing.length > 0)
      throw notFound(unit.caller.definitions[to as EntityName].contract.collection, missing.join(', '));
  }
}

/**
 * Reads what is assigned to an entity for some others.
 *
 * @param request `name`: the name of the operation that lists it. `member`: the member with the ids of the others
 */
export async function assignedFor(
  { db, sql: dialect }: Source,
  { entity, id }: Owner,
  { name, member, ids }: { readonly name: string; readonly member: string; readonly ids: readonly string[] },
): Promise<Assigned[]> {
  const read = await sql<Assigned>`select * from ${sql.table(setTable(entity, name))}
    where "ownerId" = ${id} and ${sql.ref(member)} in ${inValues(dialect, ids)}`.execute(db);
  return read.rows;
}

/** A condition on the rows that an assignment replaces. */
function whereReplaced({ members, value, onePer }: AnyAssignment, assigned: Assigned): RawBuilder<unknown> {
  const keys = Object.keys(members).filter((member) => member !== value);
  const conditions = keys.map((member) => sql`${sql.ref(member)} = ${assigned[member]}`);
  if (onePer !== undefined) {
    const [to, kind] = [sql.table(String(members[value])), sql.ref(onePer)];
    const own = sql`select ${kind} from ${to} where "id" = ${assigned[value]}`;
    conditions.push(sql`${sql.ref(value)} in (select "id" from ${to} where ${kind} = (${own}))`);
  }
  return sql.join(conditions, sql` and `);
}

async function readAssigned(
  { db }: Pick<Source, 'db'>,
  table: string,
  { id, assignment }: { readonly id: string; readonly assignment: AnyAssignment },
): Promise<Assigned[]> {
  const columns = sql.join(Object.keys(assignment.members).map((column) => sql.ref(column)));
  const read = await sql<Assigned>`select ${columns} from ${sql.table(table)}
    where "ownerId" = ${id} order by ${columns}`.execute(db);
  return read.rows;
}
