import { requireAdministrator } from '../../credentials/sign-in-rules/administrators.ts';
import type { ProposedChange } from '../../crud/define-entity.ts';
import type { EntityState } from '../../storage/entity-store/state.ts';
import type { FieldsOf } from '../../storage/entity-store/tables.ts';

type Identity = EntityState<FieldsOf<'identities'>>;

/** @throws 409 `LAST_ADMINISTRATOR` when the change would leave no identity that can administer the controller */
export async function keepAdministrator({ unit }: ProposedChange, next: Identity, previous: Identity): Promise<void> {
  const wasAdmin = previous.isAdmin || previous.isDefaultAdmin;
  const field = !next.isAdmin && !next.isDefaultAdmin ? 'isAdmin' : 'authPolicyId';
  if (!wasAdmin || next[field] === previous[field]) return;
  await requireAdministrator(unit.tx, { now: unit.caller.clock(), field, value: String(next[field]) });
}
