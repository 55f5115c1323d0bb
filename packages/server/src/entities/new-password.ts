import type { Kysely } from 'kysely';
import { invalidField } from '../api-error.ts';
import type { Call } from '../call.ts';
import { brokenPasswordRule } from '../lib/password-rules.ts';
import type { Tables } from '../stores/entity-store.ts';
import { policyColumns, readAuthPolicy } from './auth-policy.ts';
import { hashing } from './hashing.ts';

interface NewPassword {
  readonly identityId: string;
  readonly password: string;
}

/** Refuses a password that the auth policy of its identity does not take: 400, field `password`, without the value. */
export async function checkNewPassword(db: Kysely<Tables>, { identityId, password }: NewPassword): Promise<void> {
  const row = await db
    .selectFrom('identities')
    .innerJoin('authPolicies', 'authPolicies.id', 'identities.authPolicyId')
    .select(policyColumns)
    .where('identities.id', '=', identityId)
    .executeTakeFirst();
  const broken = row ? brokenPasswordRule(readAuthPolicy(row).primary.updb, password) : null;
  if (broken !== null) throw invalidField('password', broken);
}

/**
 * Checks and hashes a new password. It takes long and therefore comes before the transaction that writes the hash; in
 * there, `checkNewPassword` is asked again, because the policy may have changed meanwhile.
 */
export async function hashNewPassword(call: Call, given: NewPassword): Promise<string> {
  await checkNewPassword(call.entities.db, given);
  return await hashing(call.passwords.hash(given.password));
}
