import type { Kysely } from 'kysely';
import { invalidField } from '../../core/api-error.ts';
import type { PasswordHasher } from '../../core/secrets/password-hash.ts';
import type { EntityStore, Tables } from '../../storage/entity-store/entity-store.ts';
import { policyColumns, readAuthPolicy } from '../sign-in-rules/auth-policy.ts';
import { awaitHash } from './await-hash.ts';
import type { Guessable } from './guessable-passwords.ts';
import { brokenPasswordRule } from './password-rules.ts';

interface HashDependencies {
  readonly database: Pick<EntityStore, 'db'>;
  readonly passwords: Pick<PasswordHasher, 'hash'>;
  readonly guessable: Guessable;
}

interface NewPassword {
  readonly identityId: string;
  readonly password: string;
}

/** @throws 400 with field `password`, without the value, when the auth policy of the identity refuses the password */
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
 * Checks and hashes a new password. A hash takes long, so call this before the transaction that writes it. The
 * transaction must call `checkNewPassword` again, because the policy may have changed meanwhile.
 *
 * @throws 400 with field `password`, without the value, when the auth policy refuses the password, or somebody could guess it
 */
export async function hashNewPassword(
  services: HashDependencies,
  account: NewPassword & { readonly username: string },
): Promise<string> {
  await checkNewPassword(services.database.db, account);
  const reason = await services.guessable.reasonOf(account);
  if (reason !== null) throw invalidField('password', reason);
  return await awaitHash(services.passwords.hash(account.password));
}
