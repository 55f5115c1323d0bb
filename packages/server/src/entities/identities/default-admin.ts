import { randomBytes } from 'node:crypto';
import type { Transaction } from 'kysely';
import type { Services } from '../../call.ts';
import { isoTime } from '../../lib/clock.ts';
import { shortId } from '../../lib/ids.ts';
import type { Tables } from '../../stores/entity-store.ts';

const noAttempts = { failedAttempts: 0, pendingAttempts: 0, pendingSince: null };

/** The default administrator; `generatedPassword` only when one was generated just now. */
export interface DefaultAdmin {
  readonly username: string;
  readonly created: boolean;
  readonly generatedPassword: string | null;
}

/**
 * Makes the default administrator when there is none: identity and authenticator in one transaction. An existing one is
 * never touched. Two controllers that start at once make one: the loser runs into the unique name.
 */
export async function ensureDefaultAdmin(services: Services): Promise<DefaultAdmin> {
  const { entities, settings, passwords, clock } = services;
  const existing = await findDefaultAdmin(services);
  if (existing) return { username: existing.username, created: false, generatedPassword: null };
  const generatedPassword = settings.adminPassword === null ? generatePassword() : null;
  const passwordHash = await passwords.hash(settings.adminPassword ?? generatedPassword ?? '');
  const now = isoTime(clock());
  const base = { createdAt: now, updatedAt: now, tags: '{}' };
  const identityId = shortId();
  try {
    await entities.transaction(async (tx) => {
      await tx
        .insertInto('identities')
        .values({
          ...base,
          id: identityId,
          name: 'Default Admin',
          typeId: 'Default',
          isAdmin: 1,
          isDefaultAdmin: 1,
          externalId: null,
          authPolicyId: 'default',
          roleAttributes: '[]',
          defaultHostingCost: 0,
          defaultHostingPrecedence: 'default',
          serviceHostingCosts: '{}',
          serviceHostingPrecedences: '{}',
          appData: '{}',
          envInfo: '{}',
          sdkInfo: '{}',
          disabledAt: null,
          disabledUntil: null,
        })
        .execute();
      await tx
        .insertInto('authenticators')
        .values({
          ...base,
          ...noAttempts,
          ...{ id: shortId(), identityId, method: 'updb', username: settings.adminUsername, passwordHash },
        })
        .execute();
    });
  } catch (error) {
    const winner = entities.violatedUnique(error) === null ? null : await findDefaultAdmin(services);
    if (!winner) throw error;
    return { username: winner.username, created: false, generatedPassword: null };
  }
  return { username: settings.adminUsername, created: true, generatedPassword };
}

/** `allowedPasswords`: the policy `default` forbade passwords and allows them again, to everybody under it. */
export interface AdminReset extends DefaultAdmin {
  readonly allowedPasswords: boolean;
}

/**
 * Opens the door to whoever is locked out, whatever closed it: sets a new password of the default administrator, enables
 * the identity, forgets wrong passwords, removes its TOTP and ends its API sessions. An auth policy that forbids passwords
 * is exchanged for `default`, which allows them then. The generated password, if it was.
 */
export async function resetDefaultAdminPassword(services: Services): Promise<AdminReset | null> {
  const { entities, settings, passwords, clock, outbox } = services;
  const admin = await findDefaultAdmin(services);
  if (!admin) return null;
  const { identityId, authenticatorId, username } = admin;
  const generatedPassword = settings.adminPassword === null ? generatePassword() : null;
  const passwordHash = await passwords.hash(settings.adminPassword ?? generatedPassword ?? '');
  const allowedPasswords = await entities.transaction(async (tx) => {
    const now = isoTime(clock());
    // The identity first: whoever changes several rows of one identity locks them in this order.
    await tx
      .updateTable('identities')
      .set({ disabledAt: null, disabledUntil: null, updatedAt: now })
      .where('id', '=', identityId)
      .execute();
    const isAllowedAgain = await allowPasswords(tx, identityId, now);
    const credentials = { ...noAttempts, passwordHash, updatedAt: now };
    if (authenticatorId === null) {
      const own = { id: shortId(), createdAt: now, tags: '{}', identityId, method: 'updb' as const, username };
      await tx
        .insertInto('authenticators')
        .values({ ...own, ...credentials })
        .execute();
    } else {
      await tx.updateTable('authenticators').set(credentials).where('id', '=', authenticatorId).execute();
    }
    await tx.deleteFrom('mfas').where('identityId', '=', identityId).execute();
    await outbox.add(tx, { kind: 'endSessions', identityId });
    return isAllowedAgain;
  });
  await outbox.drain();
  return { username, created: false, generatedPassword, allowedPasswords };
}

/** True when the policy `default` had to be changed for it. */
async function allowPasswords(tx: Transaction<Tables>, identityId: string, now: string): Promise<boolean> {
  const policy = await tx
    .selectFrom('identities')
    .innerJoin('authPolicies', 'authPolicies.id', 'identities.authPolicyId')
    .select('authPolicies.updbAllowed')
    .where('identities.id', '=', identityId)
    .executeTakeFirst();
  if (policy?.updbAllowed === 1) return false;
  await tx.updateTable('identities').set({ authPolicyId: 'default' }).where('id', '=', identityId).execute();
  const { numUpdatedRows } = await tx
    .updateTable('authPolicies')
    .set({ updbAllowed: 1, updatedAt: now })
    .where('id', '=', 'default')
    .where('updbAllowed', '=', 0)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

async function findDefaultAdmin({ entities, settings }: Services) {
  const row = await entities.db
    .selectFrom('identities')
    .leftJoin('authenticators', (join) =>
      join.onRef('authenticators.identityId', '=', 'identities.id').on('authenticators.method', '=', 'updb'),
    )
    .select(['identities.id as identityId', 'authenticators.id as authenticatorId', 'authenticators.username'])
    .where('identities.isDefaultAdmin', '=', 1)
    .executeTakeFirst();
  return (
    row && {
      identityId: row.identityId,
      authenticatorId: row.authenticatorId,
      username: row.username ?? settings.adminUsername,
    }
  );
}

/** 24 characters, 144 bit. */
function generatePassword(): string {
  return randomBytes(18).toString('base64url');
}
