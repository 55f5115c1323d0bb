import type { UnitOfWork } from '../../crud/unit-of-work.ts';
import { createEntity, removeEntity, setFields } from '../../crud/write.ts';
import type { EntityState } from '../../storage/entity-store/state.ts';
import type { FieldsOf } from '../../storage/entity-store/tables.ts';

type EdgeRouter = EntityState<FieldsOf<'edgeRouters'>>;

/**
 * Keeps the identity of an edge router that dials and hosts services, and the policy that lets this identity use this router.
 * All three have the same id.
 */
export async function keepSystemIdentity(
  unit: UnitOfWork,
  { id, name, isTunnelerEnabled }: EdgeRouter,
  previous: EdgeRouter | null,
): Promise<void> {
  const had = previous?.isTunnelerEnabled === true;
  if (isTunnelerEnabled && !had) await addSystemIdentity(unit, { id, name });
  if (!isTunnelerEnabled && had) await removeSystemIdentity(unit, id);
  if (isTunnelerEnabled && had && name !== previous.name) await setFields(unit, 'identities', id, () => ({ name }));
}

export async function removeSystemIdentity(unit: UnitOfWork, id: string): Promise<void> {
  await removeEntity(unit, 'edgeRouterPolicies', id);
  await removeEntity(unit, 'identities', id);
}

/** @throws 400 when another identity has the name */
async function addSystemIdentity(unit: UnitOfWork, { id, name }: Pick<EdgeRouter, 'id' | 'name'>): Promise<void> {
  await createEntity(unit, 'identities', { name, isAdmin: false }, { id, fields: { typeId: 'Router' } });
  const roles = [`@${id}`];
  const policy = { semantic: 'AnyOf', identityRoles: roles, edgeRouterRoles: roles };
  const own = { id, fields: { isSystem: true } };
  await createEntity(unit, 'edgeRouterPolicies', { name: `edge-router-${id}-system`, ...policy }, own);
}
