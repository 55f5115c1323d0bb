import type { QueryExecutorProvider } from 'kysely';
import type { Settings } from '../../core/config/schema.ts';
import { findWithoutSecondFactor } from '../../credentials/mfas/without-second-factor.ts';
import { findOpenPolicies } from '../../credentials/sign-in-rules/open-policies.ts';
import type { DoctorFinding } from './finding.ts';
import { warning } from './finding.ts';

/** What makes it easier to sign in as somebody else. All are names. */
export interface SignInRisks {
  /** Identities that have rights and sign in with one factor. */
  readonly withoutSecondFactor: readonly string[];
  /** Auth policies that accept every signer, while several are enabled. */
  readonly openPolicies: readonly string[];
}

export async function readSignInRisks(db: QueryExecutorProvider, settings: Settings): Promise<SignInRisks> {
  const found = await findWithoutSecondFactor(db, settings);
  return { withoutSecondFactor: found.map(({ name }) => name), openPolicies: await findOpenPolicies(db) };
}

export function signInFindings({ withoutSecondFactor, openPolicies }: SignInRisks): readonly DoctorFinding[] {
  if (withoutSecondFactor.length === 0) return openPolicyFindings(openPolicies);
  const message = `Identities with rights that sign in without a second factor: ${shownNames(withoutSecondFactor)}`;
  const fix = 'set EDGE_ADMIN_REQUIRE_SECOND_FACTOR=true, or let each of them enroll a TOTP';
  return [warning(message, 'adminRequireSecondFactor', fix), ...openPolicyFindings(openPolicies)];
}

export function openPolicyFindings(names: readonly string[]): readonly DoctorFinding[] {
  if (names.length === 0) return [];
  const message = `Auth policies that accept the JWTs of every signer, while several are enabled: ${shownNames(names)}`;
  const fix = 'name the signers in primary.extJwt.allowedSigners, so that none signs in the people of another one';
  return [warning(message, null, fix)];
}

/** Names that a message shows. */
const shown = 5;

function shownNames(names: readonly string[]): string {
  // They may have line feeds.
  const quoted = names.slice(0, shown).map((name) => JSON.stringify(name));
  return quoted.join(', ') + (names.length > shown ? ` and ${names.length - shown} more` : '');
}
