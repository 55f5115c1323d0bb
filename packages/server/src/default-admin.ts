import { randomBytes } from 'node:crypto';
import type { Services } from './call.ts';
import type { UnitOfWork } from './crud/unit-of-work.ts';
import { inUnitOfWork } from './crud/unit-of-work.ts';
import { createEntity, setFields } from './crud/write.ts';
import { shortId } from './lib/ids.ts';
import { removeMfa } from './mfas/mfa-record.ts';
import { addPassword } from './passwords/password-record.ts';

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
  const { settings } = services;
  const existing = await findDefaultAdmin(services);
  if (existing) return { username: existing.username, created: false, generatedPassword: null };
  const { hash, generatedPassword } = await newPassword(services);
  try {
    await inUnitOfWork(services, async (unit) => {
      const body = { name: 'Default Admin', type: 'Default', isAdmin: true };
      const identityId = await createEntity(unit, 'identities', body, { fields: { isDefaultAdmin: true } });
      await setAdminPassword(unit, { identityId, authenticatorId: null, username: settings.adminUsername }, hash);
    });
  } catch (error) {
    const winner = await findDefaultAdmin(services);
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
  const admin = await findDefaultAdmin(services);
  if (!admin) return null;
  const { identityId, username } = admin;
  const { hash, generatedPassword } = await newPassword(services);
  const allowedPasswords = await inUnitOfWork(services, async (unit) => {
    await setFields(unit, 'identities', identityId, () => ({ disabledAt: null, disabledUntil: null }));
    const isAllowedAgain = await allowPasswords(unit, identityId);
    await setAdminPassword(unit, admin, hash);
    await removeMfa(unit.tx, identityId);
    await unit.affect({ kind: 'endSessions', identityId });
    return isAllowedAgain;
  });
  return { username, created: false, generatedPassword, allowedPasswords };
}

/** Returns true when the policy `default` was changed. */
async function allowPasswords(unit: UnitOfWork, identityId: string): Promise<boolean> {
  const policy = await unit.tx
    .selectFrom('identities')
    .innerJoin('authPolicies', 'authPolicies.id', 'identities.authPolicyId')
    .select('authPolicies.primary')
    .where('identities.id', '=', identityId)
    .executeTakeFirst();
  if (policy && JSON.parse(policy.primary).updb.allowed) return false;
  await setFields(unit, 'identities', identityId, () => ({ authPolicyId: 'default' }));
  let isChanged = false;
  await setFields(unit, 'authPolicies', 'default', ({ primary }) => {
    isChanged = !primary.updb.allowed;
    return { primary: { ...primary, updb: { ...primary.updb, allowed: true } } };
  });
  return isChanged;
}

interface AdminAccount {
  readonly identityId: string;
  /** `null`: the administrator has no authenticator with a password. */
  readonly authenticatorId: string | null;
  readonly username: string;
}

/** The auth policy does not bound the password of the default administrator: a setting may hold it. */
async function setAdminPassword(
  unit: UnitOfWork,
  { identityId, authenticatorId, username }: AdminAccount,
  hash: string,
) {
  const id = authenticatorId ?? shortId();
  if (authenticatorId === null) {
    await createEntity(unit, 'authenticators', { method: 'updb', identityId, username }, { id });
  }
  await addPassword(unit.tx, { authenticatorId: id, hash });
}

async function newPassword({ settings, passwords }: Services) {
  const generatedPassword = settings.adminPassword === null ? generatePassword() : null;
  return { generatedPassword, hash: await passwords.hash(settings.adminPassword ?? generatedPassword ?? '') };
}

async function findDefaultAdmin({ entities, settings }: Services): Promise<AdminAccount | undefined> {
  const row = await entities.db
    .selectFrom('identities')
    .leftJoin('authenticators', (join) =>
      join.onRef('authenticators.identityId', '=', 'identities.id').on('authenticators.method', '=', 'updb'),
    )
    .select(['identities.id as identityId', 'authenticators.id as authenticatorId', 'authenticators.username'])
    .where('identities.isDefaultAdmin', '=', 1)
    .executeTakeFirst();
  return row && { ...row, username: row.username ?? settings.adminUsername };
}

/** Returns 24 characters with 144 random bits. */
function generatePassword(): string {
  return randomBytes(18).toString('base64url');
}
