import type { QueryExecutorProvider } from 'kysely';
import type { Settings } from '../config/schema.ts';
import { findWithoutSecondFactor } from '../mfas/without-second-factor.ts';
import type { Finding } from './finding.ts';
import { warning } from './finding.ts';

/** What makes it easier to sign in as somebody else. */
export interface SignInRisks {
  /** Names of identities that have rights and sign in with one factor. */
  readonly withoutSecondFactor: readonly string[];
}

export async function readSignInRisks(db: QueryExecutorProvider, settings: Settings): Promise<SignInRisks> {
  const found = await findWithoutSecondFactor(db, settings);
  return { withoutSecondFactor: found.map(({ name }) => name) };
}

/** Names that a message shows. */
const shown = 5;

export function signInFindings({ withoutSecondFactor }: SignInRisks): readonly Finding[] {
  const count = withoutSecondFactor.length;
  if (count === 0) return [];
  // Names may have line feeds.
  const names = withoutSecondFactor.slice(0, shown).map((name) => JSON.stringify(name));
  const more = count > shown ? ` and ${count - shown} more` : '';
  const message = `Identities with rights that sign in without a second factor: ${names.join(', ')}${more}`;
  const fix = 'set EDGE_ADMIN_REQUIRE_SECOND_FACTOR=true, or let each of them enroll a TOTP';
  return [warning(message, 'adminRequireSecondFactor', fix)];
}
