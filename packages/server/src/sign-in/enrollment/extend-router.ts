import type { clientApi } from '@edge-controller/shared-types';
import { ApiError } from '../../core/api-error.ts';
import { verifyByNetwork } from '../../credentials/certificates/verify-client-certificate.ts';
import { verifyPresented } from '../../credentials/certificates/verify-presented.ts';
import { inUnitOfWork } from '../../crud/unit-of-work.ts';
import { setFields } from '../../crud/write.ts';
import { lockOwner } from '../../storage/entity-store/locks/enrollment-owner.ts';
import type { EnrollmentCall, Handlers } from './dependencies.ts';
import { issueRouterCertificates } from './issue-router-certificates.ts';

/**
 * Replaces the certificates of a router at once: from then on, the old ones are worth nothing.
 *
 * @throws 401 unless the connection has the present certificate of a router that is not disabled
 */
export const extendRouter: Handlers<typeof clientApi>['enroll']['extendRouter'] = async (call, { body }) => {
  const { fingerprint, ...router } = await findRouter(call);
  const { id, table } = router;
  const { certificates, verified } = await issueRouterCertificates(call, id, body);
  // Since it was read, the certificate may have been replaced, or the router disabled or deleted.
  const check = (current: { readonly fingerprint: string | null; readonly disabled: boolean }) => {
    if (current.fingerprint !== fingerprint || current.disabled) throw new ApiError('UNAUTHORIZED');
    return verified;
  };
  await inUnitOfWork(call, async (unit) => {
    if (!(await lockOwner(call.database, unit.tx, router))) throw new ApiError('UNAUTHORIZED');
    if (table === 'transitRouters') await setFields(unit, table, id, check);
    else await setFields(unit, table, id, (current) => ({ ...check(current), certPem: certificates.cert }));
  });
  return certificates;
};

interface Found {
  readonly id: string;
  readonly fingerprint: string;
  readonly table: 'edgeRouters' | 'transitRouters';
}

/** Every edge router is among the transit routers, too. */
async function findRouter(call: EnrollmentCall): Promise<Found> {
  const verify = (sent: readonly Buffer[]) => verifyByNetwork(call, sent);
  const certificate = (await verifyPresented(call.credentials, { verify })).client?.certificate;
  if (certificate?.dates !== 'current') throw new ApiError('UNAUTHORIZED');
  const { fingerprint } = certificate;
  const router = await call.database.db
    .selectFrom('transitRouters')
    .leftJoin('edgeRouters', 'edgeRouters.id', 'transitRouters.id')
    .select(['transitRouters.id', 'edgeRouters.id as edgeRouterId'])
    .where('transitRouters.fingerprint', '=', fingerprint)
    .where('transitRouters.disabled', '=', 0)
    .executeTakeFirst();
  if (!router) throw new ApiError('UNAUTHORIZED');
  return { id: router.id, fingerprint, table: router.edgeRouterId === null ? 'transitRouters' : 'edgeRouters' };
}
