import type { ApiErrorCause, EnrollmentResult } from '@edge-controller/shared-types';
import { ApiError } from '../../../core/api-error.ts';
import { shortId } from '../../../core/secrets/ids.ts';
import { flawOf } from '../../../credentials/external-jwt/token-report.ts';
import type { TrustedSigner } from '../../../credentials/external-jwt/trusted-signers.ts';
import { allowsSigner, policyColumns, readAuthPolicy } from '../../../credentials/sign-in-rules/auth-policy.ts';
import type { UnitOfWork } from '../../../crud/unit-of-work.ts';
import { inUnitOfWork } from '../../../crud/unit-of-work.ts';
import { createEntity } from '../../../crud/write.ts';
import { addCertificateAuthenticator } from '../../../entities/authenticators/add-certificate-authenticator.ts';
import type { SignedCertificate } from '../../../pki/network-pki.ts';
import { keepSigner } from '../../../storage/entity-store/locks/keep-signer.ts';
import { currentVersion } from '../../../storage/session-store/current-version.ts';
import type { ClaimedIdentity, EnrollmentToken } from '../claimed-identity.ts';
import { readClaimedIdentity } from '../claimed-identity.ts';
import type { EnrollmentCall } from '../dependencies.ts';
import { isTaken } from '../is-taken.ts';
import { issueIdentityCertificate } from '../issue-identity-certificate.ts';

interface TokenEnrollment {
  /** `null`: any signer. It only narrows the choice: the issuer in the token still selects the signer. */
  readonly signerId: string | null;
  /** PKCS#10 in PEM. `null`: the identity signs in with JWTs of the signer. */
  readonly csr: string | null;
}

/**
 * Creates an identity for the holder of a JWT, if its signer allows that. With a CSR the identity gets a certificate of the
 * network, without one it signs in with JWTs of the signer.
 */
export async function enrollByToken(
  call: EnrollmentCall,
  { signerId, csr }: TokenEnrollment,
): Promise<EnrollmentResult> {
  const token = await findToken(call, signerId);
  const identity = readClaimedIdentity(token);
  const { signer } = token;
  if (await hasIdentity(call, identity.externalId)) throw alreadyEnrolled();
  if (!(csr === null ? signer.enrollToTokenEnabled : signer.enrollToCertEnabled)) throw notAllowed();
  const id = shortId();
  const issued = csr === null ? null : await issueIdentityCertificate(call, { identityId: id, csr });
  // Fetching the keys may have taken seconds. The administrator may have changed the signer meanwhile.
  if (!(await call.externalJwts.isUnchanged(signer, await currentVersion(call.sessions)))) throw changedMeanwhile();
  await inUnitOfWork(call, (unit) => createIdentity(unit, { id, identity, signer, issued })).catch(
    async (error: unknown) => {
      // When two requests have the same token, the second may fail because of the name before it fails because of the external
      // id.
      const isEnrolled = isTaken(error, 'name') && (await hasIdentity(call, identity.externalId));
      throw isEnrolled || isTaken(error, 'externalId') ? alreadyEnrolled() : error;
    },
  );
  return issued ? { cert: issued.chainPem, ca: call.pki.caPem } : {};
}

/** The first of the tokens of the request that is valid. */
async function findToken(call: EnrollmentCall, signerId: string | null): Promise<EnrollmentToken> {
  const version = await currentVersion(call.sessions);
  let flaw: ApiErrorCause | null = null;
  for (const token of call.credentials.bearerTokens) {
    const report = await call.externalJwts.verify(token, { version, ...(signerId !== null && { signerId }) });
    const { signer, subject, claims } = report;
    if (signer && subject !== null && claims) return { signer, subject, claims };
    await call.externalJwts.recordRefusal(call, 'enrollment', report);
    flaw ??= flawOf(report);
  }
  throw new ApiError('INVALID_ENROLLMENT_TOKEN', flaw ? { cause: flaw } : {});
}

async function hasIdentity({ database }: EnrollmentCall, externalId: string): Promise<boolean> {
  const identities = database.db.selectFrom('identities').select('id');
  return (await identities.where('externalId', '=', externalId).executeTakeFirst()) !== undefined;
}

interface Creation {
  readonly id: string;
  readonly identity: ClaimedIdentity;
  readonly signer: TrustedSigner;
  readonly issued: SignedCertificate | null;
}

async function createIdentity(unit: UnitOfWork, { id, identity, signer, issued }: Creation): Promise<void> {
  const { tx, caller } = unit;
  if (!(await keepSigner(caller.database, tx, signer))) throw changedMeanwhile();
  const authPolicyId = signer.enrollAuthPolicyId;
  const policy = await tx
    .selectFrom('authPolicies')
    .select(policyColumns)
    .where('id', '=', authPolicyId)
    .executeTakeFirst();
  if (!policy) throw changedMeanwhile();
  const { cert, extJwt } = readAuthPolicy(policy).primary;
  if (!(issued ? cert.allowed : allowsSigner(extJwt, signer.id))) throw notAllowed();
  await createEntity(unit, 'identities', { ...identity, isAdmin: false, authPolicyId }, { id });
  if (issued) {
    const certificate = { ...issued, identityId: id, certPem: issued.chainPem, isIssuedByNetwork: true };
    await addCertificateAuthenticator(unit, certificate);
  }
  unit.emit('enrollment.redeemed', { identityId: id, enrollmentId: null, method: 'token' });
}

function changedMeanwhile(): ApiError {
  return new ApiError('INVALID_ENROLLMENT_TOKEN');
}

function alreadyEnrolled(): ApiError {
  return new ApiError('ENROLLMENT_IDENTITY_ALREADY_ENROLLED');
}

function notAllowed(): ApiError {
  return new ApiError('INVALID_ENROLLMENT_NOT_ALLOWED');
}
