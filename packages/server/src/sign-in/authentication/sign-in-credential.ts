import type { Transaction } from 'kysely';
import type { Tables } from '../../storage/entity-store/entity-store.ts';
import { lockIdentity } from '../../storage/entity-store/locks/lock-identity.ts';
import type { CredentialKey } from '../../storage/revocation/credentials.ts';
import { ensureCredential } from '../../storage/revocation/credentials.ts';
import type { AuthenticationCall } from './dependencies.ts';

/**
 * Adds the row in `credentials` for an identity without an authenticator, at its first sign-in. Adds nothing when the
 * identity was deleted meanwhile, or when `keepsIssuer` says that the issuer was.
 */
export async function addSignInCredential(
  { database }: AuthenticationCall,
  { identityId, authenticatorId }: CredentialKey,
  keepsIssuer: (tx: Transaction<Tables>) => Promise<boolean> = async () => true,
): Promise<void> {
  await database.transaction(async (tx) => {
    const isThere = (await lockIdentity(database, tx, identityId)) && (await keepsIssuer(tx));
    if (isThere) await ensureCredential(tx, { identityId, authenticatorId });
  });
}
