import { randomBytes } from 'node:crypto';
import type { Settings } from '../core/config/schema.ts';
import { shortId } from '../core/secrets/ids.ts';
import type { PasswordHasher } from '../core/secrets/password-hash.ts';
import { StartError } from '../core/start/start-error.ts';
import type * as crud from '../crud/dependencies.ts';
import type { UnitOfWork } from '../crud/unit-of-work.ts';
import { inUnitOfWork } from '../crud/unit-of-work.ts';
import { createEntity, setFields } from '../crud/write.ts';
import { removeMfa } from './mfas/mfa-record.ts';
import type { Guessable } from './passwords/guessable-passwords.ts';
import { setPassword } from './passwords/password-record.ts';
import type { AuthPolicy } from './sign-in-rules/auth-policy.ts';
import { policyColumns, readAuthPolicy } from './sign-in-rules/auth-policy.ts';
import { canAdminister } from './sign-in-rules/can-administer.ts';

interface Dependencies extends crud.Dependencies {
  readonly settings: Pick<Settings, 'adminUsername' | 'adminPassword'>;
  readonly passwords: Pick<PasswordHasher, 'hash'>;
  readonly guessable: Guessable;
}

/** The default administrator. `generatedPassword` is `null` unless this call has generated a password. */
export interface DefaultAdmin {
  readonly username: string;
  readonly created: boolean;
  readonly generatedPassword: string | null;
  /** The user name that this call wanted to give, when another identity has it. `username` is then a free one. */
  readonly takenUsername: string | null;
}

const unchanged = { created: false, generatedPassword: null, takenUsername: null };
/** Characters of the longest user name that can sign in. */
const maxUsernameLength = 100;

/**
 * Creates the default administrator if there is none: identity and authenticator in one transaction. An existing one is
 * not changed. When two controllers start at the same time, only one succeeds, because the names are unique. If another
 * identity has the name or the user name, the administrator gets a free one such as `admin-2`.
 */
export async function ensureDefaultAdmin(dependencies: Dependencies): Promise<DefaultAdmin> {
  const { database, settings } = dependencies;
  const existing = async (db: Dependencies['database']['db']) => {
    const found = await findDefaultAdmin(db);
    return found ? { username: found.username ?? settings.adminUsername, ...unchanged } : null;
  };
  const before = await existing(database.db);
  if (before) return before;
  const { hash, generatedPassword } = await newPassword(dependencies);
  try {
    return await inUnitOfWork(dependencies, async (unit) => {
      const name = await freeName(unit);
      const account = await freeUsername(unit);
      // After the names: an administrator that has just been created and has the names is seen here.
      const winner = await existing(unit.tx);
      if (winner) return winner;
      const body = { name, type: 'Default', isAdmin: true };
      const identityId = await createEntity(unit, 'identities', body, { fields: { isDefaultAdmin: true } });
      await addAuthenticator(unit, { identityId, username: account.username, hash });
      return { created: true, generatedPassword, ...account };
    });
  } catch (error) {
    const winner = await existing(database.db);
    if (!winner) throw error;
    return winner;
  }
}

/** `allowedPasswords`: whether the policy `default` was changed to allow passwords, for all identities that have it. */
export interface AdminReset extends DefaultAdmin {
  readonly allowedPasswords: boolean;
}

/**
 * Makes sure that the default administrator can sign in with a password: sets a new password, enables the identity,
 * resets the count of wrong passwords, removes the TOTP and ends the API sessions. Without an authenticator, it gets a new
 * one; if another identity has the user name, with a free one such as `admin-2`. If nobody could sign in with a password
 * alone or with TOTP under its auth policy, it gets the policy `default`, which is changed to allow that.
 */
export async function resetDefaultAdminPassword(dependencies: Dependencies): Promise<AdminReset> {
  const { created } = await ensureDefaultAdmin(dependencies);
  const { hash, generatedPassword } = await newPassword(dependencies);
  const reset = await inUnitOfWork(dependencies, (unit) => resetAdmin(unit, hash));
  return { created, generatedPassword, ...reset };
}

async function resetAdmin(
  unit: UnitOfWork<Dependencies>,
  hash: string,
): Promise<SignInName & { allowedPasswords: boolean }> {
  const { tx } = unit;
  const identityId = (await findDefaultAdmin(tx))?.identityId ?? '';
  // First, because it locks the identity. Its authenticator is read after that.
  await setFields(unit, 'identities', identityId, () => ({ disabledAt: null, disabledUntil: null }));
  const account = await resetAuthenticator(unit, identityId, hash);
  const policy = await readPolicy(tx, identityId);
  const needsDefault = policy === null || !canAdminister('updb', policy);
  const allowedPasswords = needsDefault && (await allowPasswords(unit));
  // After the authenticator and the policy: the administrator may be the last one.
  if (needsDefault) await setFields(unit, 'identities', identityId, () => ({ authPolicyId: 'default' }));
  if (await removeMfa(tx, identityId)) unit.emit('mfa.removed', { identityId, by: 'administrator' });
  await unit.affect({ kind: 'endSessions', identityId });
  return { ...account, allowedPasswords };
}

async function resetAuthenticator(
  unit: UnitOfWork<Dependencies>,
  identityId: string,
  hash: string,
): Promise<SignInName> {
  const found = await findDefaultAdmin(unit.tx);
  if (found && found.authenticatorId !== null && found.username !== null) {
    const { authenticatorId } = found;
    await setPassword(unit.tx, { authenticatorId, hash, isSetByOther: true });
    unit.emit('password.changed', { identityId, authenticatorId, by: 'administrator' });
    return { username: found.username, takenUsername: null };
  }
  const account = await freeUsername(unit);
  await addAuthenticator(unit, { identityId, username: account.username, hash });
  return account;
}

async function readPolicy(tx: UnitOfWork['tx'], identityId: string): Promise<AuthPolicy | null> {
  const row = await tx
    .selectFrom('identities')
    .innerJoin('authPolicies', 'authPolicies.id', 'identities.authPolicyId')
    .select(policyColumns)
    .where('identities.id', '=', identityId)
    .executeTakeFirst();
  return row ? readAuthPolicy(row) : null;
}

/** Changes the policy `default` so that an administrator can sign in with a password. Returns whether a change was needed. */
async function allowPasswords(unit: UnitOfWork): Promise<boolean> {
  let isChanged = false;
  await setFields(unit, 'authPolicies', 'default', (policy) => {
    isChanged = !canAdminister('updb', policy);
    const { primary, secondary } = policy;
    return {
      primary: { ...primary, updb: { ...primary.updb, allowed: true } },
      secondary: { requireTotp: secondary.requireTotp },
    };
  });
  return isChanged;
}

type SignInName = Pick<DefaultAdmin, 'username' | 'takenUsername'>;

interface Account {
  readonly identityId: string;
  readonly username: string;
  readonly hash: string;
}

/** The auth policy does not apply to the password of the default administrator, because a setting may have it. */
async function addAuthenticator(unit: UnitOfWork, { identityId, username, hash }: Account): Promise<void> {
  const id = shortId();
  await createEntity(unit, 'authenticators', { method: 'updb', identityId, username }, { id });
  await setPassword(unit.tx, { authenticatorId: id, hash, isSetByOther: true });
}

/** Finds a free user name. The user name of another identity stays: without it, that identity could not sign in. */
async function freeUsername({ tx, caller }: UnitOfWork<Dependencies>): Promise<SignInName> {
  const wanted = caller.settings.adminUsername;
  const username = await firstFree(wanted, (value) =>
    tx.selectFrom('authenticators').select('id').where('username', '=', value).executeTakeFirst(),
  );
  return { username, takenUsername: username === wanted ? null : wanted };
}

function freeName({ tx }: UnitOfWork): Promise<string> {
  return firstFree('Default Admin', (value) =>
    tx.selectFrom('identities').select('id').where('name', '=', value).executeTakeFirst(),
  );
}

/** The first of `admin`, `admin-2`, `admin-3` … that is free. */
async function firstFree(wanted: string, find: (value: string) => Promise<object | undefined>): Promise<string> {
  let value = wanted;
  for (let number = 2; await find(value); number += 1) {
    const suffix = `-${number}`;
    value = wanted.slice(0, maxUsernameLength - suffix.length) + suffix;
  }
  return value;
}

/** @throws StartError when somebody could guess the password in the settings */
async function newPassword({ settings, passwords, guessable }: Dependencies) {
  const { adminUsername: username, adminPassword: password } = settings;
  const reason = password === null ? null : await guessable.reasonOf({ username, password });
  if (reason !== null) {
    const message = `EDGE_ADMIN_PASSWORD cannot be used: ${reason}`;
    const fix = 'set another one, or leave it out: then a password is generated';
    throw new StartError([{ message, setting: 'adminPassword', fix, kind: 'wrong' }]);
  }
  const generatedPassword = password === null ? generatePassword() : null;
  return { generatedPassword, hash: await passwords.hash(password ?? generatedPassword ?? '') };
}

/** `authenticatorId` is null when the administrator has no authenticator with a password. */
async function findDefaultAdmin(db: Dependencies['database']['db']) {
  return await db
    .selectFrom('identities')
    .leftJoin('authenticators', (join) =>
      join.onRef('authenticators.identityId', '=', 'identities.id').on('authenticators.method', '=', 'updb'),
    )
    .select(['identities.id as identityId', 'authenticators.id as authenticatorId', 'authenticators.username'])
    // A literal, so that the index with the administrators is used.
    .where(({ eb, lit }) => eb('identities.isDefaultAdmin', '=', lit(1)))
    .executeTakeFirst();
}

/** Returns 24 characters with 144 random bits. */
function generatePassword(): string {
  return randomBytes(18).toString('base64url');
}
