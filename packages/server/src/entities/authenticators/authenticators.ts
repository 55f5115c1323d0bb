import type { Kysely } from 'kysely';
import { ApiError, notFound } from '../../core/api-error.ts';
import { requireRightsOf } from '../../credentials/rights/higher-identities.ts';
import { isAdministrator, requireAdministrator } from '../../credentials/sign-in-rules/administrators.ts';
import { defineEntity } from '../../crud/define-entity.ts';
import { duplicateValue } from '../../crud/unique.ts';
import type { Tables } from '../../storage/entity-store/entity-store.ts';
import { lockIdentity } from '../../storage/entity-store/locks/lock-identity.ts';
import { addCredential, removeCredential } from '../../storage/revocation/credentials.ts';
import type { Caller } from '../dependencies.ts';

export const authenticators = defineEntity<'authenticators', Caller>('authenticators', {
  fields: {
    identityId: { onDelete: 'cascade' },
    // On the wire, the error of a creation names another field than the error of a change.
    username: {
      taken: (value, verb) => duplicateValue(verb === 'create' ? 'updbUsername' : 'username', 'authenticators')(value),
    },
    fingerprint: { taken: duplicateValue('certFingerprint', 'authenticators') },
    isExtendRequested: { affectsSessions: true },
  },

  authorize: ({ unit }, { identityId }) => requireRightsOf(unit.tx, unit.caller.session?.principal, identityId),

  async prepare({ unit, verb }, { identityId, method, username }) {
    if (verb !== 'create') return {};
    // Locked, so that of two concurrent creations one sees the authenticator of the other.
    if (!(await lockIdentity(unit.caller.database, unit.tx, identityId))) throw notFound('identity', identityId);
    // As on the wire, enrollments give an identity further certificates.
    if (method === 'updb') await refuseSecond(unit.tx, { identityId, method });
    return { username: method === 'updb' ? username : null };
  },

  async written({ unit, verb }, { id, identityId }) {
    if (verb === 'create') await addCredential(unit.tx, { identityId, authenticatorId: id });
  },

  async beforeDelete({ unit }, { id, identityId }) {
    if (await isAdministrator(unit.tx, identityId)) {
      const now = unit.caller.clock();
      await requireAdministrator(unit.tx, { now, field: 'id', value: id, without: { authenticatorId: id } });
    }
    await unit.affect({ kind: 'endSessions', identityId, which: { authenticatorId: id } });
    await removeCredential(unit.tx, { identityId, authenticatorId: id });
  },
});

/** @throws 409 `MAX_AUTHENTICATOR_METHODS_REACHED` when the identity already has an authenticator of the method */
export async function refuseSecond(
  db: Kysely<Tables>,
  { identityId, method }: { readonly identityId: string; readonly method: Tables['authenticators']['method'] },
): Promise<void> {
  const existing = await db
    .selectFrom('authenticators')
    .select('id')
    .where('identityId', '=', identityId)
    .where('method', '=', method)
    .executeTakeFirst();
  if (existing) throw new ApiError('MAX_AUTHENTICATOR_METHODS_REACHED');
}
