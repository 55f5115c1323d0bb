import type { UnitOfWork } from '../../crud/unit-of-work.ts';
import { createEntity } from '../../crud/write.ts';
import type { CertificatePrints } from '../../pki/certificate-prints.ts';

interface IdentityCertificate extends CertificatePrints {
  readonly identityId: string;
  /** PEM of the certificate; others may follow. */
  readonly certPem: string;
  /** Whether the network has issued it for this authenticator. Only then it can be extended. */
  readonly isIssuedByNetwork: boolean;
  readonly tags?: Readonly<Record<string, unknown>> | null | undefined;
}

/**
 * Creates an authenticator of method `cert` of an identity and returns its id.
 *
 * @throws 404 without the identity, 400 with field `certFingerprint` when another authenticator has the certificate
 */
export function addCertificateAuthenticator(unit: UnitOfWork, certificate: IdentityCertificate): Promise<string> {
  const { identityId, certPem, tags, fingerprint, publicKeyPrint, isIssuedByNetwork } = certificate;
  const body = { method: 'cert', identityId, certPem, tags };
  return createEntity(unit, 'authenticators', body, { fields: { fingerprint, publicKeyPrint, isIssuedByNetwork } });
}
