import { ApiError } from '../../core/api-error.ts';
import { requireRightsOf } from '../../credentials/rights/higher-identities.ts';
import type { ProposedChange } from '../../crud/define-entity.ts';
import type { EntityState } from '../../storage/entity-store/state.ts';
import type { FieldsOf } from '../../storage/entity-store/tables.ts';
import type { Caller } from '../dependencies.ts';

type Identity = EntityState<FieldsOf<'identities'>>;

/**
 * Only administrators give and take rights. Others change identities whose rights they have themselves, but not how they sign in
 * themselves: a policy may ask for less than theirs.
 */
export async function authorize(
  { unit, verb, body }: ProposedChange<Caller>,
  { id, authPolicyId }: Identity,
  next: Identity | null,
): Promise<void> {
  if (verb === 'create') return refuseRights({ isAdmin: body.isAdmin === true, permissions: isAny(body.permissions) });
  refuseRights({ isAdmin: isSent(body.isAdmin), permissions: isSent(body.permissions) });
  const isOwn = unit.caller.session?.principal.id === id;
  refuseRights({ authPolicyId: isOwn && next !== null && (next.authPolicyId || 'default') !== authPolicyId });
  await requireRightsOf(unit.tx, unit.caller.session?.principal, id);
}

function isSent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function isAny(permissions: unknown): boolean {
  return Array.isArray(permissions) && permissions.length > 0;
}

/** @throws 401 for the first field that is refused */
function refuseRights(refused: Readonly<Record<string, boolean>>): void {
  const field = Object.keys(refused).find((name) => refused[name]);
  if (field === undefined) return;
  throw new ApiError('UNAUTHORIZED', { cause: { field, reason: 'only administrators may set it' } });
}
