import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import { ApiError } from '../core/api-error.ts';
import { base62Id, shortId } from '../core/secrets/ids.ts';
import { isoTime } from '../core/time/clock.ts';
import type { EntityState } from '../storage/entity-store/state.ts';
import type { EntityName, FieldsOf } from '../storage/entity-store/tables.ts';
import { authorize } from './authorize.ts';
import type { ProposedChange, Write } from './define-entity.ts';
import type { AnyState, Entity } from './entity.ts';
import { propose } from './propose.ts';
import { lockState } from './read.ts';
import { recordChange } from './record-change.ts';
import { checkReferences, refuseReferenced, removeFromRoles } from './references.ts';
import { save } from './save.ts';
import type { UnitOfWork } from './unit-of-work.ts';

type Body = Readonly<Record<string, unknown>>;

/**
 * Creates an entity and returns its id. When the controller itself creates one, it may choose the id, and set fields that no
 * request sends.
 */
export async function createEntity<K extends EntityName>(
  unit: UnitOfWork,
  name: K,
  body: Body,
  own: { readonly id?: string; readonly fields?: Partial<EntityState<FieldsOf<K>>> } = {},
): Promise<string> {
  const entity = unit.caller.definitions[name];
  const { id = entity.definition.id === 'short' ? shortId() : base62Id(), fields } = own;
  const proposed = propose({ entity, verb: 'create', body, previous: null, id, now: now(unit) });
  await write({ unit, verb: 'create', body }, entity, { ...proposed, ...fields }, null);
  return id;
}

/** Changes an entity as PUT (`update`) or PATCH (`patch`) asks. Refuses an entity that a field protects. */
export async function updateEntity(
  unit: UnitOfWork,
  name: EntityName,
  { verb, id, body }: { verb: 'update' | 'patch'; id: string; body: Body },
): Promise<void> {
  const entity = unit.caller.definitions[name];
  const previous = await lockState(unit, entity, id);
  refuseProtected(entity, previous, 'ENTITY_CAN_NOT_BE_UPDATED');
  await write({ unit, verb, body }, entity, propose({ entity, verb, body, previous, id, now: now(unit) }), previous);
}

/** Sets fields of an entity that no request sends. `change` gets the current state. */
export async function setFields<K extends EntityName>(
  unit: UnitOfWork,
  name: K,
  id: string,
  change: (state: EntityState<FieldsOf<K>>) => Partial<EntityState<FieldsOf<K>>>,
): Promise<void> {
  const entity = unit.caller.definitions[name];
  const previous = await lockState(unit, entity, id);
  const changed = change(previous as unknown as EntityState<FieldsOf<K>>);
  await write({ unit, verb: 'set', body: {} }, entity, { ...previous, updatedAt: now(unit), ...changed }, previous);
}

/** Deletes an entity and what belongs to it, as DELETE asks. Refuses an entity that a field protects. */
export function deleteEntity(unit: UnitOfWork, name: EntityName, id: string): Promise<void> {
  return deleteAs('delete', unit, name, id);
}

/** Deletes an entity that belongs to another one, which no request may do while the other one exists. */
export function removeEntity(unit: UnitOfWork, name: EntityName, id: string): Promise<void> {
  return deleteAs('remove', unit, name, id);
}

async function deleteAs(verb: 'delete' | 'remove', unit: UnitOfWork, name: EntityName, id: string): Promise<void> {
  const entity = unit.caller.definitions[name];
  const state = await lockState(unit, entity, id);
  if (verb === 'delete') refuseProtected(entity, state, 'ENTITY_CAN_NOT_BE_DELETED');
  const change: ProposedChange = { unit, verb, body: {} };
  await authorize(change, entity, { previous: state, next: null });
  await refuseReferenced(unit, entity, id);
  await entity.definition.beforeDelete?.(change as never, state);
  await runWrite({ unit, entity, previous: state, next: null }, async () => {
    await removeFromRoles(unit, entity, id);
    await sql`delete from ${sql.table(name)} where "id" = ${id}`.execute(unit.tx);
  });
  if (sessionFields(entity).length > 0) await unit.affect({ kind: 'changed' });
  recordChange(unit, entity, { eventType: 'deleted', id, previous: state, next: null });
}

async function write(
  change: ProposedChange,
  entity: Entity,
  proposed: AnyState,
  previous: AnyState | null,
): Promise<void> {
  const { unit } = change;
  const { definition } = entity;
  await authorize(change, entity, { previous, next: proposed });
  const next = { ...proposed, ...(await definition.prepare?.(change as never, proposed, previous)) };
  await checkReferences(unit, entity, next, previous);
  await runWrite({ unit, entity, previous, next }, () => save(change, entity, next, previous));
  const eventType = previous ? 'updated' : 'created';
  // Before `written`, which may create what belongs to the entity: its event comes after this one.
  recordChange(unit, entity, { eventType, id: next.id, previous, next });
  await definition.written?.(change as never, next, previous);
  const affectsSessions =
    previous && sessionFields(entity).some((name) => !isDeepStrictEqual(next[name], previous[name]));
  if (affectsSessions) await unit.affect({ kind: 'changed' });
}

async function runWrite(write: Write, run: () => Promise<void>): Promise<void> {
  const { access } = write.entity.definition;
  await (access ? access(write as never, run) : run());
}

function refuseProtected(
  { columns, contract }: Entity,
  state: AnyState,
  code: 'ENTITY_CAN_NOT_BE_UPDATED' | 'ENTITY_CAN_NOT_BE_DELETED',
): void {
  if (!columns.some(({ name, field }) => field.protects && state[name])) return;
  const message = `the controller has made the ${contract.noun} ${state.id}, and keeps it`;
  throw new ApiError(code, { cause: { code: 'UNHANDLED', message } });
}

function sessionFields({ options }: Entity): string[] {
  return Object.keys(options).filter((name) => options[name]?.affectsSessions);
}

function now({ caller }: UnitOfWork): string {
  return isoTime(caller.clock());
}
