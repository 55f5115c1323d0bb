import type { Clock } from '../../core/time/clock.ts';
import type { EntityStore } from '../../storage/entity-store/entity-store.ts';
import { signerCredential } from '../../storage/revocation/credentials.ts';
import { allowsSigner } from '../sign-in-rules/auth-policy.ts';
import type { ClaimedIdentity } from '../sign-in-rules/claimed-identity.ts';
import { findClaimedIdentity } from '../sign-in-rules/claimed-identity.ts';
import { isDisabled } from '../sign-in-rules/is-disabled.ts';
import type { ExternalJwts } from './external-jwts.ts';
import type { TokenCheck, TokenReport } from './token-report.ts';
import type { TrustedSigner } from './trusted-signers.ts';
import type { VerifyRequest } from './verify-token.ts';

/** A JWT that may sign in an identity. */
export interface ProvenIdentity extends TokenReport {
  readonly holder: ClaimedIdentity;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly signer: TrustedSigner;
  readonly subject: string;
}

type Proof = ProvenIdentity | (TokenReport & { readonly holder: null });

interface ProofDependencies {
  readonly clock: Clock;
  readonly database: EntityStore;
  readonly externalJwts: Pick<ExternalJwts, 'verify'>;
}

/** Verifies a JWT as a primary credential. */
export async function proveIdentity(
  services: ProofDependencies,
  token: string,
  request: VerifyRequest,
): Promise<Proof> {
  const report = await services.externalJwts.verify(token, request);
  const { claims, signer, subject } = report;
  if (!signer || !claims || subject === null) return { ...report, holder: null };
  const holder = await findHolder(services, signer, subject);
  const checks = [...report.checks, ...holderChecks(services, { holder, signer, subject })];
  const isProven = holder !== null && checks.every(({ passed }) => passed);
  return isProven ? { ...report, checks, holder, claims, signer, subject } : { ...report, checks, holder: null };
}

/** The claim of the signer names an identity by its id, or by its external id, if that is not the one of another signer. */
export async function findHolder(
  { database }: Pick<ProofDependencies, 'database'>,
  { id, useExternalId }: TrustedSigner,
  subject: string,
): Promise<ClaimedIdentity | null> {
  const column = useExternalId ? 'externalId' : 'id';
  const found = await findClaimedIdentity(database, { column, value: subject, authenticatorId: signerCredential(id) });
  const isBound = useExternalId && found !== null && found.externalIdSignerId !== null;
  return isBound && found.externalIdSignerId !== id ? null : found;
}

function holderChecks(
  { clock }: ProofDependencies,
  { holder, signer, subject }: { holder: ClaimedIdentity | null; signer: TrustedSigner; subject: string },
): TokenCheck[] {
  const wanted = signer.useExternalId
    ? 'the external id of the claim, of this signer or of any'
    : 'the id of the claim';
  const expected = `an identity with ${wanted}`;
  if (!holder) return [{ check: 'identity', passed: false, expected, received: subject }];
  if (isDisabled(holder, clock())) {
    return [
      { check: 'identity', passed: false, expected: 'an identity that is not disabled', received: holder.identityId },
    ];
  }
  const rules = holder.policy.primary.extJwt;
  const policy = { check: 'policy', expected: 'an auth policy that allows external JWTs of the signer' } as const;
  const isAllowed = allowsSigner(rules, signer.id);
  const received = rules.allowed ? 'other signers are allowed' : 'external JWTs are not allowed';
  return [
    { check: 'identity', passed: true, received: holder.identityId },
    isAllowed ? { ...policy, passed: true } : { ...policy, passed: false, received },
  ];
}
