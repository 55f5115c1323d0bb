import type { ClientCertificate } from '../../../../credentials/certificates/verify-client-certificate.ts';
import type { AuthPolicy } from '../../../../credentials/sign-in-rules/auth-policy.ts';
import { policyColumns, readAuthPolicy } from '../../../../credentials/sign-in-rules/auth-policy.ts';
import { findClaimedIdentity } from '../../../../credentials/sign-in-rules/claimed-identity.ts';
import { firstCertificateOf } from '../../../../pki/pem.ts';
import { runCompiled } from '../../../../storage/database/sql/run-compiled.ts';
import { textValue } from '../../../../storage/database/sql/text-value.ts';
import type { EntityStore, Tables } from '../../../../storage/entity-store/entity-store.ts';
import { claimCredential } from '../../../../storage/revocation/credentials.ts';
import type { AuthenticationCall } from '../../dependencies.ts';

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
export interface CertificateHolder {
  readonly identityId: string;
  readonly authenticatorId: string;
  readonly disabledAt: string | null;
  readonly disabledUntil: string | null;
  /** The version of the credential that an API session of this sign-in depends on. `null`: there is none yet. */
  readonly credentialVersion: number | null;
  readonly policy: AuthPolicy;
  /** `null` when the claim of a CA names the identity. */
  readonly authenticator: CertificateAuthenticator | null;
}

/** @param fingerprint SHA-1 of the leaf in lower-case hex */
export async function findByFingerprint(
  { database }: AuthenticationCall,
  fingerprint: string,
): Promise<CertificateHolder | null> {
  const { db, dialect } = database;
  const found = await runCompiled(db, `${dialect} holder by fingerprint`, {
    compile: () => selectByFingerprint(db, fingerprint).compile(),
    parameters: [fingerprint, 'cert'],
  });
  const [row] = found.rows;
  if (!row) return null;
  const { identityId, disabledAt, disabledUntil, credentialVersion, primary, secondary, ...authenticator } = row;
  const policy = readAuthPolicy({ primary, secondary });
  const identity = { identityId, disabledAt, disabledUntil, credentialVersion };
  return { ...identity, authenticatorId: authenticator.id, policy, authenticator };
}

function selectByFingerprint(db: EntityStore['db'], fingerprint: string) {
  return db
    .selectFrom('authenticators')
    .innerJoin('identities', 'identities.id', 'authenticators.identityId')
    .innerJoin('authPolicies', 'authPolicies.id', 'identities.authPolicyId')
    .leftJoin('credentials', (join) =>
      join
        .onRef('credentials.identityId', '=', 'authenticators.identityId')
        .onRef('credentials.authenticatorId', '=', 'authenticators.id'),
    )
    .select(['authenticators.identityId', 'identities.disabledAt', 'identities.disabledUntil'])
    .select('credentials.version as credentialVersion')
    .select(authenticatorColumns)
    .select(policyColumns)
    .where('authenticators.fingerprint', '=', textValue(fingerprint))
    .where('authenticators.method', '=', textValue('cert'));
}

/** Finds no identity whose external id is that of a signer. */
export async function findByExternalId(
  { database }: AuthenticationCall,
  externalId: string,
): Promise<CertificateHolder | null> {
  const claim = { column: 'externalId', value: externalId, authenticatorId: claimCredential } as const;
  const found = await findClaimedIdentity(database, claim);
  if (!found || found.externalIdSignerId !== null) return null;
  return { ...found, authenticator: null };
}

/**
 * Whether the stored certificate differs from the presented one. The wire finds it by SHA-1, and two certificates may
 * share a SHA-1.
 */
export function isAnother(
  { der, certPem }: ClientCertificate,
  authenticator: CertificateAuthenticator | null,
): boolean {
  const stored = authenticator?.certPem;
  // The same PEM needs no decoding. In the store, a chain may follow it.
  if (!stored || stored.startsWith(certPem)) return false;
  return !firstCertificateOf(stored).equals(der);
}
