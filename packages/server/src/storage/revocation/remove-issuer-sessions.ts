import { inValues } from '../database/sql/select-values.ts';
import type { EntityStore } from '../entity-store/entity-store.ts';
import type { LiveApiSession, SessionStore } from '../session-store/session-store.ts';
import { removeSignerCredentials } from './credentials.ts';
import type { Effect } from './effect.ts';
import type { SessionIssuer } from './session-issuer.ts';
import { issuerOf, isUnchanged } from './session-issuer.ts';

interface Stores {
  readonly database: Pick<EntityStore, 'db' | 'sql'>;
  readonly sessions: Pick<SessionStore, 'list' | 'remove'>;
}

/**
 * Cleans up after changes of third-party CAs and external JWT signers. It removes the ended API sessions from the session
 * store, and so from lists. It also removes the credentials of deleted signers. These sessions have no index, so it reads all.
 */
export async function removeIssuerSessions({ database, sessions }: Stores, effects: readonly Effect[]): Promise<void> {
  const { batches } = await sessions.list({ limit: -1, sort: 'id' });
  for await (const batch of batches) {
    const ended = await findEnded(database, batch);
    await Promise.all(ended.map((session) => sessions.remove(session)));
  }
  await removeCredentials(
    database,
    effects.flatMap((effect) => (effect.kind === 'endSignerSessions' ? [effect.signerId] : [])),
  );
}

/** Those of the sessions whose CA or signer has ended or changed. */
async function findEnded(
  database: Stores['database'],
  sessions: readonly LiveApiSession[],
): Promise<readonly LiveApiSession[]> {
  const issued = sessions.flatMap((session) => {
    const issuer = issuerOf(session);
    return issuer ? [{ session, issuer }] : [];
  });
  const issuers = issued.map(({ issuer }) => issuer);
  // Read after the sessions: what has signed in one of them is found, unless it was taken away since.
  const now = {
    ca: await findTrusted(database, 'ca', issuers),
    signer: await findTrusted(database, 'signer', issuers),
  };
  return issued
    .filter(({ issuer }) => !isUnchanged(issuer, now[issuer.kind].get(issuer.id)))
    .map(({ session }) => session);
}

/** Those of the issuers of one kind that still open sessions. */
async function findTrusted(
  { db, sql }: Stores['database'],
  kind: SessionIssuer['kind'],
  issuers: readonly SessionIssuer[],
): Promise<ReadonlyMap<string, { readonly authVersion: number }>> {
  const ids = new Set(issuers.filter((issuer) => issuer.kind === kind).map(({ id }) => id));
  if (ids.size === 0) return new Map();
  const within = inValues(sql, [...ids]);
  const cas = () => db.selectFrom('cas').where('isVerified', '=', 1).where('isAuthEnabled', '=', 1);
  const signers = () => db.selectFrom('externalJwtSigners').where('enabled', '=', 1);
  const select = {
    ca: () => cas().select(['id', 'authVersion']).where('id', 'in', within).execute(),
    signer: () => signers().select(['id', 'authVersion']).where('id', 'in', within).execute(),
  };
  return new Map((await select[kind]()).map((issuer) => [issuer.id, issuer]));
}

async function removeCredentials({ db }: Stores['database'], signerIds: readonly string[]): Promise<void> {
  for (const signerId of new Set(signerIds)) {
    const signer = await db.selectFrom('externalJwtSigners').select('id').where('id', '=', signerId).executeTakeFirst();
    if (signer) continue;
    while (await removeSignerCredentials(db, signerId));
  }
}
