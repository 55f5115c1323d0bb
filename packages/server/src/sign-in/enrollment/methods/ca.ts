import { readSubjectNames } from '@edge-controller/certificate-path';
import type { EnrollmentResult } from '@edge-controller/shared-types';
import { ApiError } from '../../../core/api-error.ts';
import { shortId } from '../../../core/secrets/ids.ts';
import { createTurns } from '../../../core/turns/in-turn.ts';
import { externalIdOf } from '../../../credentials/certificates/external-id.ts';
import { identityName } from '../../../credentials/certificates/identity-name.ts';
import type { TrustedCa } from '../../../credentials/certificates/trusted-cas.ts';
import type { ClientCertificate } from '../../../credentials/certificates/verify-client-certificate.ts';
import type { CertificateOfCa } from '../../../credentials/certificates/verify-under-cas.ts';
import { verifyUnderCas } from '../../../credentials/certificates/verify-under-cas.ts';
import type { UnitOfWork } from '../../../crud/unit-of-work.ts';
import { inUnitOfWork } from '../../../crud/unit-of-work.ts';
import { createEntity } from '../../../crud/write.ts';
import { addCertificateAuthenticator } from '../../../entities/authenticators/add-certificate-authenticator.ts';
import type { Tables } from '../../../storage/entity-store/entity-store.ts';
import { lockCa } from '../../../storage/entity-store/locks/lock-ca.ts';
import { certificateInUse } from '../certificate-in-use.ts';
import type { EnrollmentCall } from '../dependencies.ts';
import { findFreeName, unmistakableName } from '../free-name.ts';
import { isTaken } from '../is-taken.ts';

type Ca = Tables['cas'];

/**
 * Creates an identity for the client certificate of the connection, which a verified CA has issued. There is no token: the
 * certificate is the right to enroll.
 */
export async function enrollByCa(call: EnrollmentCall, requestedName: string | null): Promise<EnrollmentResult> {
  const certificate = await verifyUnderCas(call, await findOpenCas(call));
  if (!certificate) throw new ApiError('CERT_FAILED_VALIDATION');
  const attempt = (isRetry: boolean) =>
    inUnitOfWork(call, (unit) => createIdentity(unit, { certificate, requestedName, isRetry }));
  // Somebody else may take the name at the same moment.
  await inTurn(certificate.ca.id, () =>
    attempt(false).catch((error: unknown) => {
      if (!isTaken(error, 'name')) throw error;
      return attempt(true);
    }),
  );
  return {};
}

/** Devices of one CA wait here for each other: those that wait for the lock of the CA would need a connection each. */
const inTurn = createTurns();

/** The CAs whose certificates may enroll by themselves. */
async function findOpenCas({
  database: { db },
  credentials,
  enrollingCas,
}: EnrollmentCall): Promise<readonly TrustedCa[]> {
  const any = await db.selectFrom('cas').select('id').limit(1).executeTakeFirst();
  if (!any) throw new ApiError('ENROLLMENT_NO_VALID_CAS');
  if (credentials.certificates.length === 0) return [];
  return [...(await enrollingCas.reload()).values()];
}

interface NewIdentity {
  readonly certificate: CertificateOfCa<TrustedCa>;
  readonly requestedName: string | null;
  /** True when the name was taken after it had been chosen. */
  readonly isRetry: boolean;
}

async function createIdentity(unit: UnitOfWork, { certificate, requestedName, isRetry }: NewIdentity): Promise<void> {
  const { database } = unit.caller;
  // Locked, so that devices of one CA that enroll at once choose their names one after the other.
  const ca = await lockCa(database, unit.tx, certificate.ca.id);
  if (ca?.isVerified !== 1 || ca.isAutoCaEnrollmentEnabled !== 1) throw new ApiError('CERT_FAILED_VALIDATION');
  const externalId = claimedExternalId(ca, certificate);
  const identityId = shortId();
  const commonName = readSubjectNames(certificate.der)?.commonNames.at(-1) ?? null;
  const values = { caName: ca.name, caId: ca.id, commonName, requestedName, identityId };
  const wanted = identityName(ca.identityNameFormat, values);
  const free = isRetry ? null : await findFreeName(database, unit.tx, wanted);
  const name = free ?? unmistakableName(wanted, identityId);
  const roleAttributes = JSON.parse(ca.identityRoles ?? '[]');
  await createEntity(
    unit,
    'identities',
    { name, isAdmin: false, roleAttributes, externalId },
    { id: identityId },
  ).catch((error: unknown) => {
    throw isTaken(error, 'externalId') ? externalIdTaken() : error;
  });
  if (externalId === null) {
    await addCertificateAuthenticator(unit, { ...certificate, identityId, isIssuedByNetwork: false }).catch(
      certificateInUse(),
    );
  }
  unit.emit('enrollment.redeemed', { identityId, enrollmentId: null, method: 'ca' });
}

/** The external id that the certificate has by the claim of its CA. `null` when the CA has no claim. */
function claimedExternalId({ externalIdClaim }: Ca, { der }: Pick<ClientCertificate, 'der'>): string | null {
  if (externalIdClaim === null) return null;
  const externalId = externalIdOf(der, JSON.parse(externalIdClaim));
  // An identity cannot have a blank one.
  if (externalId === null || externalId.trim() === '') throw new ApiError('MISSING_CERT_CLAIM');
  return externalId;
}

function externalIdTaken(): ApiError {
  const cause = { field: 'externalId', reason: 'another identity has the external id of the certificate' };
  return new ApiError('CERT_IN_USE', { cause });
}
