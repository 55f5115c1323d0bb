import { ApiError, notFound } from '../core/api-error.ts';
import { setOf } from '../core/text/set-of.ts';
import { lacksRights, readHigherIdentities } from '../credentials/rights/higher-identities.ts';
import { requireAdministrator } from '../credentials/sign-in-rules/administrators.ts';
import { takenFromAdministrators } from '../credentials/sign-in-rules/can-administer.ts';
import type { ProposedChange } from '../crud/define-entity.ts';
import { defineEntity } from '../crud/define-entity.ts';
import { missingOf } from '../crud/references.ts';
import type { EntityState } from '../storage/entity-store/state.ts';
import type { FieldsOf } from '../storage/entity-store/tables.ts';
import type { Caller } from './dependencies.ts';

type Policy = Pick<EntityState<FieldsOf<'authPolicies'>>, 'primary' | 'secondary'>;

const shortestPassword = 5;

export const authPolicies = defineEntity<'authPolicies', Caller>('authPolicies', {
  fields: {
    primary: { affectsSessions: true },
    secondary: { affectsSessions: true },
  },

  /** Whoever can change a policy can open or close the sign-ins of all identities that have it. */
  async authorize({ unit }, { id }) {
    const { principal } = unit.caller.session ?? {};
    if (principal?.authPolicyId === id) throw lacksRights('you sign in by this policy yourself');
    const higher = await readHigherIdentities(unit.tx, principal);
    if (higher.every(({ authPolicyId }) => authPolicyId !== id)) return;
    throw lacksRights('an identity with rights that you do not have signs in by this policy');
  },

  async prepare(change, { primary, secondary: { requireTotp, requireExtJwtSigner } }, previous) {
    const { extJwt, updb, maxSessionMinutes } = primary;
    const { bindSessions, ...cert } = primary.cert;
    const secondary = { requireTotp, ...(requireExtJwtSigner && { requireExtJwtSigner }) };
    await keepSigners(change, { primary, secondary }, previous);
    const bounded = {
      ...updb,
      minPasswordLength: Math.max(shortestPassword, updb.minPasswordLength),
      maxAttempts: Math.max(0, updb.maxAttempts),
      lockoutDurationMinutes: Math.max(0, updb.lockoutDurationMinutes),
    };
    const signers = { ...extJwt, allowedSigners: setOf(extJwt.allowedSigners) };
    // Clients of the wire know no such members, so they are there only when they are on.
    const binding = bindSessions ? { bindSessions } : {};
    const life = maxSessionMinutes ? { maxSessionMinutes } : {};
    return { primary: { cert: { ...cert, ...binding }, extJwt: signers, updb: bounded, ...life }, secondary };
  },

  async written({ unit }, next, previous) {
    const taken = previous && takenFromAdministrators(previous, next);
    if (taken) await requireAdministrator(unit.tx, { now: unit.caller.clock(), ...taken });
  },

  async beforeDelete({ unit }, { id, isSystem }) {
    if (isSystem) {
      const message = `authPolicy ${id} is what identities without a policy refer to`;
      throw new ApiError('CAN_NOT_DELETE_REFERENCED_ENTITY', { cause: { code: 'UNHANDLED', message } });
    }
    // The row of the policy is locked, so no signer can name it from now on.
    const signer = await unit.tx
      .selectFrom('externalJwtSigners')
      .select('id')
      .where('enrollAuthPolicyId', '=', id)
      .orderBy('id')
      .limit(1)
      .executeTakeFirst();
    if (!signer) return;
    const value = `[${signer.id}]`;
    const reason = `entity type authPolicy referenced by externalJwtSigner: ${value}`;
    throw new ApiError('CAN_NOT_DELETE_REFERENCED_ENTITY', { cause: { field: 'enrollAuthPolicyId', reason, value } });
  },
});

/**
 * Checks that newly named signers exist, and locks them against deletion until the commit. On the wire, only the error of a
 * creation names the field, and not by its name in the body.
 *
 * @throws 404
 */
async function keepSigners({ unit, verb }: ProposedChange, next: Policy, previous: Policy | null): Promise<void> {
  const [required, former] = [next, previous].map((policy) => policy?.secondary.requireExtJwtSigner);
  const { allowedSigners } = next.primary.extJwt;
  const formerlyAllowed = previous?.primary.extJwt.allowedSigners ?? [];
  const named = [
    ...(required && required !== former ? [{ id: required, field: 'secondary.requiredExtJwtSigner' }] : []),
    ...allowedSigners
      .map((id, at) => ({ id, field: `primary.extJwt.allowedExtJwtSigners[${at}]` }))
      .filter(({ id }) => !formerlyAllowed.includes(id)),
  ];
  const missing = await missingOf(
    unit,
    'externalJwtSigners',
    named.map(({ id }) => id),
  );
  const unknown = named.find(({ id }) => missing.includes(id));
  if (!unknown) return;
  const { id: value, field } = unknown;
  if (verb !== 'create') throw notFound('externalJwtSigner', value);
  throw new ApiError('NOT_FOUND', { cause: { field, reason: 'not found', value } });
}
