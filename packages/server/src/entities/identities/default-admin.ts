import { randomBytes } from 'node:crypto';
import type { Transaction } from 'kysely';
import type { Services } from '../../call.ts';
import { isoTime } from '../../lib/clock.ts';
import { shortId } from '../../lib/ids.ts';
import type { Tables } from '../../stores/entity-store.ts';

const noAttempts = { failedAttempts: 0, pendingAttempts: 0, pendingSince: null };

/** The default administrator. `generatedPassword` is `null` unless this call has generated a password. */
export interface DefaultAdmin {
  readonly username: string;
  readonly created: boolean;
  readonly generatedPassword: string | null;
}

/**
 * Creates the default administrator if there is none: identity and authenticator in one transaction. An existing one is
 * not changed. When two controllers start at the same time, only one succeeds, because the name is unique.
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

/** `allowedPasswords`: whether the policy `default` was changed to allow passwords, for all identities that have it. */
export interface AdminReset extends DefaultAdmin {
  readonly allowedPasswords: boolean;
}

/**
 * Makes sure that the default administrator can sign in with a password: sets a new password, enables the identity,
 * resets the count of wrong passwords, removes the TOTP and ends the API sessions. If the auth policy of the
 * administrator forbids passwords, the administrator gets the policy `default`, which is changed to allow passwords.
 * Returns `null` when there is no default administrator.
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
    // Lock the identity first. All changes of several rows of an identity use this order.
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

/** Returns true when the policy `default` was changed. */
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

/** Returns 24 characters with 144 random bits. */
function generatePassword(): string {
  return randomBytes(18).toString('base64url');
}
