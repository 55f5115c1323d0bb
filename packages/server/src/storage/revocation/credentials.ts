import type { Kysely, Transaction } from 'kysely';
import { sql } from 'kysely';
import type { Tables } from '../entity-store/entity-store.ts';
import type { ApiSessionRecord, SessionSubset } from '../session-store/session-store.ts';

/**
 * What API sessions show instead of the id of an authenticator, when a CA has named the identity by its external id. The name
 * is that of the wire.
 */
export const claimCredential = 'internal';

/** The same when an external JWT signer has named the identity. */
export function signerCredential(signerId: string): string {
  return `extJwtId:${signerId}`;
}

/** An authenticator of an identity, as an API session refers to it. */
export interface CredentialKey {
  readonly identityId: string;
  readonly authenticatorId: string;
}

/** The version of a credential, and the API session that its last raise did not end. */
export type CredentialVersion = Pick<Tables['credentials'], 'version' | 'keptSessionId'>;

export async function addCredential(tx: Transaction<Tables>, key: CredentialKey): Promise<void> {
  await insertCredential(tx, key).execute();
}

/** Adds a credential unless it exists. The identity must exist. */
export async function ensureCredential(tx: Transaction<Tables>, key: CredentialKey): Promise<void> {
  await insertCredential(tx, key)
    .onConflict((conflict) => conflict.columns(['identityId', 'authenticatorId']).doNothing())
    .execute();
}

function insertCredential(tx: Transaction<Tables>, { identityId, authenticatorId }: CredentialKey) {
  return tx.insertInto('credentials').values({ identityId, authenticatorId, version: 0, keptSessionId: null });
}

export async function removeCredential(tx: Transaction<Tables>, key: CredentialKey): Promise<void> {
  await tx
    .deleteFrom('credentials')
    .where('identityId', '=', key.identityId)
    .where('authenticatorId', '=', key.authenticatorId)
    .execute();
}

/** Removes the credentials of an external JWT signer that is deleted, at most 1,000. Returns whether there may be more. */
export async function removeSignerCredentials(db: Kysely<Tables>, signerId: string): Promise<boolean> {
  const limit = 1_000;
  const authenticatorId = signerCredential(signerId);
  const { numDeletedRows } = await db
    .deleteFrom('credentials')
    .where('authenticatorId', '=', authenticatorId)
    .where('identityId', 'in', (from) =>
      from
        .selectFrom('credentials')
        .select('identityId')
        .where('authenticatorId', '=', authenticatorId)
        .orderBy('identityId')
        .limit(limit),
    )
    .executeTakeFirst();
  return numDeletedRows === BigInt(limit);
}

/** The credentials of an identity that its external id has given it. Returns the ids of their authenticators. */
export async function findClaimCredentials(tx: Transaction<Tables>, identityId: string): Promise<readonly string[]> {
  const { rows } = await sql<{ authenticatorId: string }>`
    select c."authenticatorId" from "credentials" c
      left join "externalJwtSigners" s on c."authenticatorId" = ${signerCredential('')} || s."id"
      where c."identityId" = ${identityId} and (c."authenticatorId" = ${claimCredential} or s."useExternalId" = 1)
      order by c."authenticatorId"`.execute(tx);
  return rows.map(({ authenticatorId }) => authenticatorId);
}

/** Returns the version of a credential, or `null` when it does not exist. */
export async function findCredentialVersion(db: Kysely<Tables>, key: CredentialKey): Promise<number | null> {
  const row = await db
    .selectFrom('credentials')
    .select('version')
    .where('identityId', '=', key.identityId)
    .where('authenticatorId', '=', key.authenticatorId)
    .executeTakeFirst();
  return row?.version ?? null;
}

/** Ends the API sessions of an identity, or those that `which` selects, whatever the session store still has. */
export async function raiseCredentials(
  tx: Transaction<Tables>,
  identityId: string,
  { authenticatorId, exceptId }: SessionSubset = {},
): Promise<void> {
  const all = tx
    .updateTable('credentials')
    .set({ version: sql<number>`"version" + 1`, keptSessionId: exceptId ?? null })
    .where('identityId', '=', identityId);
  await (authenticatorId === undefined ? all : all.where('authenticatorId', '=', authenticatorId)).execute();
}

/** The versions of the credentials of an identity, by the id of the authenticator. */
export async function findCredentials(
  db: Kysely<Tables>,
  identityId: string,
): Promise<ReadonlyMap<string, CredentialVersion>> {
  const rows = await db
    .selectFrom('credentials')
    .select(['authenticatorId', 'version', 'keptSessionId'])
    .where('identityId', '=', identityId)
    .execute();
  return new Map(rows.map(({ authenticatorId, ...credential }) => [authenticatorId, credential]));
}

/** Whether an API session was made with the credential as it is now. */
export function isOfCredential(
  session: Pick<ApiSessionRecord, 'id' | 'credentialVersion'>,
  credential: CredentialVersion | undefined,
): boolean {
  if (!credential) return false;
  return session.credentialVersion === credential.version || session.id === credential.keptSessionId;
}

/** Whether the credential of an API session was removed, or raised after its sign-in. A newer session has not ended. */
export function hasEnded(
  session: Pick<ApiSessionRecord, 'id' | 'credentialVersion'>,
  credential: CredentialVersion | undefined,
): boolean {
  return !isOfCredential(session, credential) && !(credential && session.credentialVersion > credential.version);
}
