import { ApiError } from '../../../../core/api-error.ts';
import { externalIdOf } from '../../../../credentials/certificates/external-id.ts';
import { signInCertificateOf } from '../../../../credentials/certificates/session-certificate.ts';
import type { TrustedCa } from '../../../../credentials/certificates/trusted-cas.ts';
import type {
  ClientCertificate,
  VerifiedClient,
} from '../../../../credentials/certificates/verify-client-certificate.ts';
import { verifyByCas, verifyByNetwork } from '../../../../credentials/certificates/verify-client-certificate.ts';
import { verifyPresented } from '../../../../credentials/certificates/verify-presented.ts';
import { isDisabled } from '../../../../credentials/sign-in-rules/is-disabled.ts';
import { fingerprintOf } from '../../../../pki/certificate-prints.ts';
import { currentVersion } from '../../../../storage/session-store/current-version.ts';
import type { AuthenticationCall } from '../../dependencies.ts';
import type { AuthenticationMethodHandler } from '../../method.ts';
import { addSignInCredential } from '../../sign-in-credential.ts';
import type { CertificateHolder } from './holder.ts';
import { findByExternalId, findByFingerprint, isAnother } from './holder.ts';
import { recordSignIn } from './record-sign-in.ts';

/**
 * The client certificate of the TLS connection. Only the leaf identifies somebody, because TLS has proven its key: by
 * its fingerprint, or by the claim of the third-party CA that has issued it. Every refusal has the same response.
 */
export const cert: AuthenticationMethodHandler = async (call) => {
  const [leaf] = call.credentials.certificates;
  if (!leaf) throw await refused(call, 'no client certificate');
  const enrolled = await findByFingerprint(call, fingerprintOf(leaf));
  // Only the claim of a CA can identify an unknown certificate. If no CA has a claim, do not spend time on the chain.
  if (!enrolled && !(await someCaHasClaim(call))) throw await refused(call, 'unknown certificate');
  const verified = await verifyPresented(call.credentials, {
    verify: (certificates) => verify(call, certificates, enrolled),
    isEnough: ({ client }) => client?.issuer.kind !== 'network' || client.issuer.resolvesToRoot,
  });
  if (!verified.client) throw await refused(call, verified.reason, enrolled);
  const { client } = verified;
  const { certificate, issuer } = client;
  const ca = issuer.kind === 'ca' ? issuer.ca : null;
  const claim = ca?.externalIdClaim ?? null;
  // As on the wire, the fingerprint counts only if there is no claim, or the claim finds nothing in the certificate.
  const externalId = claim === null ? null : externalIdOf(certificate.der, JSON.parse(claim));
  const find = () =>
    externalId === null ? findByFingerprint(call, certificate.fingerprint) : findByExternalId(call, externalId);

  const holder = externalId === null ? enrolled : await find();
  if (!holder) throw await refused(call, externalId === null ? 'unknown certificate' : 'unknown external id');
  const refusal = refusalReasonOf(call, holder, certificate);
  if (refusal !== null) throw await refused(call, refusal, holder);

  if (holder.authenticator)
    await recordSignIn(call, { identityId: holder.identityId, ...holder.authenticator }, client);
  else if (holder.credentialVersion === null) await addSignInCredential(call, holder);
  return {
    identityId: holder.identityId,
    authenticatorId: holder.authenticatorId,
    policy: holder.policy,
    credentialVersion: holder.credentialVersion,
    certificates: [signInCertificateOf(call, certificate)],
    certificate: {
      caId: ca?.id ?? null,
      caVersion: ca?.authVersion ?? 0,
      isCertExtendable: issuer.kind === 'network' && holder.authenticator?.isIssuedByNetwork === 1,
      improperClientCertChain: issuer.kind === 'network' && !issuer.resolvesToRoot,
    },
    async isStillValid() {
      const [now, trusted] = await Promise.all([find(), ca && call.trustedCas.find(ca.id)]);
      const isSame = now?.identityId === holder.identityId && now.authenticatorId === holder.authenticatorId;
      if (!isSame || trusted?.authVersion !== ca?.authVersion) return false;
      return refusalReasonOf(call, now, certificate) === null;
    },
  };
};

async function someCaHasClaim(call: AuthenticationCall): Promise<boolean> {
  return (await currentCas(call)).some(({ externalIdClaim }) => externalIdClaim !== null);
}

/**
 * Tries the network first: a client chooses the subject of a network certificate, so the claim of a CA must not read
 * it. A third-party CA may be below a root of the network. It still decides about its own certificates, because an
 * administrator may disable or delete it.
 */
async function verify(call: AuthenticationCall, certificates: readonly Buffer[], enrolled: CertificateHolder | null) {
  const byNetwork = verifyByNetwork(call, certificates);
  if (byNetwork.client && !isOfOther(byNetwork.client, enrolled)) return byNetwork;
  const failed = byNetwork.client ? { client: null, ...foreignIssuer } : byNetwork;
  const cas = failed.rule === 'too-much-work' ? [] : await currentCas(call);
  const byCas = cas.length === 0 ? failed : verifyByCas(call, certificates, cas);
  return byCas.client || byCas.rule !== 'unknown-issuer' ? byCas : failed;
}

const foreignIssuer = { rule: 'unknown-issuer', reason: 'no CA that signs in has issued the certificate' } as const;

/** Whether a certificate must be verified by the CAs although it is below a root of the network. */
function isOfOther({ issuer }: VerifiedClient<never>, enrolled: CertificateHolder | null): boolean {
  return issuer.kind === 'network' && issuer.isForeign && enrolled?.authenticator?.isIssuedByNetwork !== 1;
}

async function currentCas({ sessions, trustedCas }: AuthenticationCall): Promise<readonly TrustedCa[]> {
  return [...(await trustedCas.at(await currentVersion(sessions))).values()];
}

/** `null`: the holder may sign in with this certificate. */
function refusalReasonOf(
  { clock }: AuthenticationCall,
  holder: CertificateHolder,
  certificate: ClientCertificate,
): string | null {
  const { allowed, allowExpiredCerts } = holder.policy.primary.cert;
  if (isAnother(certificate, holder.authenticator)) return 'another certificate with the same fingerprint';
  if (isDisabled(holder, clock())) return 'identity disabled';
  if (!allowed) return 'method not allowed';
  if (certificate.dates === 'not-yet-valid') return 'certificate not yet valid';
  return certificate.dates === 'expired' && !allowExpiredCerts ? 'certificate expired' : null;
}

async function refused(
  call: AuthenticationCall,
  reason: string,
  holder: CertificateHolder | null = null,
): Promise<ApiError> {
  await call.audit.publish(call, 'authentication.failed', {
    method: 'cert',
    reason,
    ipAddress: call.clientAddress,
    ...(holder ? { identityId: holder.identityId } : {}),
  });
  return new ApiError('INVALID_AUTH');
}
