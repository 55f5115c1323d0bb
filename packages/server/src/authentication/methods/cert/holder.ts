import type { Call } from '../../../call.ts';
import type { ClientCertificate } from '../../../certificates/verify-client-certificate.ts';
import type { AuthPolicy } from '../../../lib/auth-policy.ts';
import { policyColumns, readAuthPolicy } from '../../../lib/auth-policy.ts';
import { firstCertificateOf } from '../../../pki/pem.ts';
import { claimCredential, ensureCredential, findCredentialVersion } from '../../../stores/credentials.ts';
import type { Tables } from '../../../stores/entity-store.ts';
import { lockIdentity } from '../../../stores/lock-identity.ts';

const authenticatorColumns = [
  'authenticators.id',
  'authenticators.certPem',
  'authenticators.publicKeyPrint',
  'authenticators.isIssuedByNetwork',
  'authenticators.lastAuthResolvedToRoot',
] as const;

/** The columns of an authenticator that a sign-in needs. */
export type CertificateAuthenticator = Pick<
  Tables['authenticators'],
  'id' | 'certPem' | 'publicKeyPrint' | 'isIssuedByNetwork' | 'lastAuthResolvedToRoot'
>;

/** The identity that a certificate names. */
export interface Holder {
  readonly identityId: string;
  readonly authenticatorId: string;
  readonly disabledAt: string | null;
  readonly disabledUntil: string | null;
  /** What the auth policy of the identity says about certificates. */
  readonly rules: AuthPolicy['primary']['cert'];
  /** `null` when the claim of a CA names the identity. */
  readonly authenticator: CertificateAuthenticator | null;
}

/** @param fingerprint SHA-1 of the leaf in lower-case hex */
export async function findByFingerprint({ entities }: Call, fingerprint: string): Promise<Holder | null> {
  const row = await entities.db
    .selectFrom('authenticators')
    .innerJoin('identities', 'identities.id', 'authenticators.identityId')
    .innerJoin('authPolicies', 'authPolicies.id', 'identities.authPolicyId')
    .select(['authenticators.identityId', 'identities.disabledAt', 'identities.disabledUntil'])
    .select(authenticatorColumns)
    .select(policyColumns)
    .where('authenticators.fingerprint', '=', fingerprint)
    .where('authenticators.method', '=', 'cert')
    .executeTakeFirst();
  if (!row) return null;
  const { identityId, disabledAt, disabledUntil, primary, secondary, ...authenticator } = row;
  const rules = readAuthPolicy({ primary, secondary }).primary.cert;
  return { identityId, disabledAt, disabledUntil, authenticatorId: authenticator.id, rules, authenticator };
}

export async function findByExternalId({ entities }: Call, externalId: string): Promise<Holder | null> {
  const row = await entities.db
    .selectFrom('identities')
    .innerJoin('authPolicies', 'authPolicies.id', 'identities.authPolicyId')
    .select(['identities.id as identityId', 'disabledAt', 'disabledUntil'])
    .select(policyColumns)
    .where('identities.externalId', '=', externalId)
    .executeTakeFirst();
  if (!row) return null;
  const { primary, secondary, ...identity } = row;
  const rules = readAuthPolicy({ primary, secondary }).primary.cert;
  return { ...identity, authenticatorId: claimCredential, rules, authenticator: null };
}

/** Whether the stored certificate is not the presented one. The wire finds it by SHA-1, which alone proves too little. */
export function isAnother({ der }: ClientCertificate, authenticator: CertificateAuthenticator | null): boolean {
  if (!authenticator?.certPem) return false;
  return !firstCertificateOf(authenticator.certPem).equals(der);
}

/** Adds what the API sessions of a claim depend on, at the first sign-in, unless the identity is deleted meanwhile. */
export async function addClaimCredential({ entities }: Call, { identityId }: Holder): Promise<void> {
  const key = { identityId, authenticatorId: claimCredential };
  if ((await findCredentialVersion(entities.db, key)) !== null) return;
  await entities.transaction(async (tx) => {
    if (await lockIdentity(entities, tx, identityId)) await ensureCredential(tx, key);
  });
}
