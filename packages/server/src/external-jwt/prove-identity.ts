import type { Services } from '../call.ts';
import type { AuthPolicy } from '../lib/auth-policy.ts';
import { allowsSigner, policyColumns, readAuthPolicy } from '../lib/auth-policy.ts';
import { isDisabled } from '../lib/is-disabled.ts';
import { signerCredential } from '../stores/credentials.ts';
import type { EntityStore } from '../stores/entity-store.ts';
import { runCompiled } from '../stores/sql/run-compiled.ts';
import { textValue } from '../stores/sql/text-value.ts';
import type { TokenCheck, TokenReport } from './token-report.ts';
import type { TrustedSigner } from './trusted-signers.ts';
import type { VerifyRequest } from './verify-token.ts';

/** The identity that the claim of a JWT names. */
export interface Holder {
  readonly identityId: string;
  readonly name: string;
  readonly disabledAt: string | null;
  readonly disabledUntil: string | null;
  readonly authenticatorId: string;
  /** Of the credential that an API session of this sign-in depends on. `null`: there is none yet. */
  readonly credentialVersion: number | null;
  /** What the auth policy of the identity says about external JWTs. */
  readonly rules: AuthPolicy['primary']['extJwt'];
}

/** A JWT that may sign in an identity. */
export interface ProvenIdentity extends TokenReport {
  readonly holder: Holder;
  readonly signer: TrustedSigner;
  readonly subject: string;
}

type Proof = ProvenIdentity | (TokenReport & { readonly holder: null });
type ProofServices = Pick<Services, 'clock' | 'entities' | 'externalJwts'>;

/** Verifies a JWT as a primary credential. */
export async function proveIdentity(services: ProofServices, token: string, request: VerifyRequest): Promise<Proof> {
  const report = await services.externalJwts.verify(token, request);
  const { signer, subject } = report;
  if (!signer || subject === null) return { ...report, holder: null };
  const holder = await findHolder(services, signer, subject);
  const checks = [...report.checks, ...holderChecks(services, { holder, signer, subject })];
  const isProven = holder !== null && checks.every(({ passed }) => passed);
  return isProven ? { ...report, checks, holder, signer, subject } : { ...report, checks, holder: null };
}

/** The claim of the signer names an identity by its id or by its external id. */
export async function findHolder(
  { entities: { db, dialect } }: Pick<Services, 'entities'>,
  { id, useExternalId }: TrustedSigner,
  subject: string,
): Promise<Holder | null> {
  const authenticatorId = signerCredential(id);
  const column = useExternalId ? 'externalId' : 'id';
  const found = await runCompiled(db, `${dialect} holder by claim and ${column}`, {
    compile: () => selectHolder(db, { authenticatorId, column, subject }).compile(),
    parameters: [authenticatorId, subject],
  });
  const [row] = found.rows;
  if (!row) return null;
  const { primary, secondary, ...identity } = row;
  return { ...identity, authenticatorId, rules: readAuthPolicy({ primary, secondary }).primary.extJwt };
}

interface Selection {
  readonly authenticatorId: string;
  readonly column: 'id' | 'externalId';
  readonly subject: string;
}

function selectHolder(db: EntityStore['db'], { authenticatorId, column, subject }: Selection) {
  return db
    .selectFrom('identities')
    .innerJoin('authPolicies', 'authPolicies.id', 'identities.authPolicyId')
    .leftJoin('credentials', (join) =>
      join
        .onRef('credentials.identityId', '=', 'identities.id')
        .on('credentials.authenticatorId', '=', textValue(authenticatorId)),
    )
    .select(['identities.id as identityId', 'identities.name', 'identities.disabledAt', 'identities.disabledUntil'])
    .select('credentials.version as credentialVersion')
    .select(policyColumns)
    .where(`identities.${column}`, '=', textValue(subject));
}

function holderChecks(
  { clock }: ProofServices,
  { holder, signer, subject }: { holder: Holder | null; signer: TrustedSigner; subject: string },
): TokenCheck[] {
  const expected = `an identity with ${signer.useExternalId ? 'the external id' : 'the id'} of the claim`;
  if (!holder) return [{ check: 'identity', passed: false, expected, received: subject }];
  if (isDisabled(holder, clock())) {
    return [
      { check: 'identity', passed: false, expected: 'an identity that is not disabled', received: holder.identityId },
    ];
  }
  const policy = { check: 'policy', expected: 'an auth policy that allows external JWTs of the signer' };
  const isAllowed = allowsSigner(holder.rules, signer.id);
  const received = holder.rules.allowed ? 'other signers are allowed' : 'external JWTs are not allowed';
  return [
    { check: 'identity', passed: true, received: holder.identityId },
    isAllowed ? { ...policy, passed: true } : { ...policy, passed: false, received },
  ];
}
