import type { managementApi } from '@edge-controller/shared-types';
import { ApiError, notFound } from '../../core/api-error.ts';
import { isoTime } from '../../core/time/clock.ts';
import { issuingCa } from '../../credentials/certificates/verify-under-cas.ts';
import type { UnitOfWork } from '../../crud/unit-of-work.ts';
import { inUnitOfWork } from '../../crud/unit-of-work.ts';
import { createEntity, deleteEntity, setFields } from '../../crud/write.ts';
import { firstCertificateOf } from '../../pki/pem.ts';
import type { Tables } from '../../storage/entity-store/entity-store.ts';
import { lockIdentity } from '../../storage/entity-store/locks/lock-identity.ts';
import type { Caller, Handlers } from '../dependencies.ts';
import { readAuthenticator } from './change-credentials.ts';

type Authenticators = Handlers<typeof managementApi>['authenticators'];
type Authenticator = Tables['authenticators'];

/** Handlers of one authenticator besides those of every entity. */
export const authenticatorActions: Pick<Authenticators, 'reEnroll' | 'requestExtend'> = {
  async reEnroll(call, { params: { id }, body: { expiresAt } }) {
    const authenticator = await readAuthenticator(call, id);
    if (!authenticator) throw notFound('authenticator', id);
    const enrollment = { ...(await sameKind(call, authenticator)), identityId: authenticator.identityId, expiresAt };
    const enrollmentId = await inUnitOfWork(call, (unit) => replaceByEnrollment(unit, authenticator, enrollment));
    return { id: enrollmentId, href: `./enrollments/${enrollmentId}` };
  },

  async requestExtend(call, { params: { id }, body: { rollKeys } }) {
    const authenticator = await readAuthenticator(call, id);
    if (!authenticator) throw notFound('authenticator', id);
    if (authenticator.method !== 'cert') {
      const message = 'only authenticators of method cert can be extended';
      throw new ApiError('UNAUTHORIZED', { cause: { code: 'UNHANDLED', message } });
    }
    const request = { isExtendRequested: true, isKeyRollRequested: rollKeys === true };
    const extendRequestedAt = isoTime(call.clock());
    await inUnitOfWork(call, (unit) => {
      return setFields(unit, 'authenticators', id, () => ({ ...request, extendRequestedAt }));
    });
  },
};

/** Deleting the authenticator ends its sessions. When the enrollment is refused, the authenticator stays. */
async function replaceByEnrollment(
  unit: UnitOfWork,
  { id, identityId }: Authenticator,
  enrollment: Readonly<Record<string, unknown>>,
): Promise<string> {
  await lockIdentity(unit.caller.database, unit.tx, identityId);
  await deleteEntity(unit, 'authenticators', id);
  return await createEntity(unit, 'enrollments', enrollment);
}

/** The enrollment that brings an authenticator like this one. */
async function sameKind(
  call: Caller,
  { method, username, certPem, isIssuedByNetwork }: Authenticator,
): Promise<Pick<Tables['enrollments'], 'method' | 'username' | 'caId'>> {
  if (method === 'updb') return { method: 'updb', username, caId: null };
  const ott = { method: 'ott', username: null, caId: null } as const;
  if (isIssuedByNetwork === 1 || !certPem) return ott;
  const cas = await call.database.db.selectFrom('cas').selectAll().execute();
  const ca = issuingCa(call, firstCertificateOf(certPem), cas);
  return ca ? { method: 'ottca', username: null, caId: ca.id } : ott;
}
