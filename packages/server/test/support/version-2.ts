import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, inject } from 'vitest';
import { createPasswordHasher } from '../../src/core/secrets/password-hash.ts';
import { createSealer } from '../../src/core/secrets/sealer.ts';
import type { ControllerOptions } from '../../src/index.ts';
import { adminCredentials } from './controller.ts';
import { oldAuthenticator, oldEnrollment, oldIdentity, oldMfa, oldPolicy, openOldDatabase } from './old-database.ts';
import { freshDatabase } from './postgres.ts';
import { freshRedis } from './redis.ts';

const secondVersion = '0002-auth-policies-and-totp';
export const sealKey = Buffer.alloc(32, 9);
const sealer = createSealer(sealKey);
export const password = 'a password of long ago';
/** The TOTP secret of dora and emil. */
export const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
/** The token of the enrollment of fred. */
export const token = '6f9b1a52-6c1c-4b0e-9a49-0d5b3c7c2f11';
/** A role attribute of fred that no index of PostgreSQL can hold. */
export const longAttribute = randomBytes(2_000).toString('hex');
export const recoveryCodes = ['AAAAAA', 'BBBBBB'];

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** Where the old database is. */
export const places = [
  { stores: 'SQLite', open: async (): Promise<ControllerOptions> => ({}) },
  {
    stores: 'PostgreSQL',
    open: async (): Promise<ControllerOptions> => ({
      databaseUrl: await freshDatabase(inject('postgresUrl')),
      redisUrl: await freshRedis(inject('redisUrl')),
    }),
  },
] as const;

/** The options of a controller on an empty database, with the key that seals the rows of `makeOldDatabase`. */
export async function emptyPlace(open: () => Promise<ControllerOptions>) {
  const dataDir = mkdtempSync(join(tmpdir(), 'edge-upgrade-'));
  folders.push(dataDir);
  return { ...(await open()), dataDir, sealKey };
}

/** Makes a database of version 2 with something of everything. */
export async function makeOldDatabase(options: ControllerOptions, now: number): Promise<void> {
  await using old = await openOldDatabase(options, secondVersion);
  const hasher = createPasswordHasher();
  const passwordHash = await hasher.hash(password);
  const threeAttempts = { id: 'three', name: 'Three attempts', updbAllowed: 1, updbMaxAttempts: 3, isSystem: 0 };
  const noFactors = { requireTotp: 0, requireExtJwtSigner: null };
  await old.insert('authPolicies', oldPolicy, { ...oldPolicy, ...threeAttempts, ...noFactors });
  await old.insert('meta', { key: 'sealCheck', value: sealer.seal('sealed with the right key', 'sealCheck') });
  await old.insert(
    'identities',
    oldIdentity('root', { name: 'Default Admin', isAdmin: 1, isDefaultAdmin: 1 }),
    oldIdentity('anna', {
      ...{ roleAttributes: '["blue","north"]', tags: '{"floor":3}', appData: '{"a":{"b":1}}', externalId: 'ext-anna' },
      ...{ defaultHostingCost: 4, defaultHostingPrecedence: 'required', envInfo: '{"os":"linux"}' },
    }),
    oldIdentity('bert', { roleAttributes: '["blue"]', disabledAt: '2024-05-06T00:00:00.000Z' }),
    oldIdentity('carl', { authPolicyId: 'three' }),
    oldIdentity('cora', { authPolicyId: 'three' }),
    oldIdentity('cyra', { authPolicyId: 'three', roleAttributes: '["green"]' }),
    oldIdentity('dora'),
    oldIdentity('emil'),
    oldIdentity('fred', { roleAttributes: JSON.stringify(['größe', longAttribute, `${longAttribute}b`]) }),
    oldIdentity('gina', { authPolicyId: 'strict' }),
  );
  await old.insert(
    'authenticators',
    oldAuthenticator('root', {
      username: adminCredentials.username,
      passwordHash: await hasher.hash(adminCredentials.password),
    }),
    ...['anna', 'bert', 'dora', 'emil', 'gina'].map((id) => oldAuthenticator(id, { passwordHash })),
    oldAuthenticator('carl', { passwordHash, failedAttempts: 2 }),
    oldAuthenticator('cora', {
      ...{ passwordHash, failedAttempts: 1, pendingAttempts: 1, pendingSince: new Date(now - 60_000).toISOString() },
    }),
    // The clock was ahead when these attempts were written.
    oldAuthenticator('cyra', {
      ...{ passwordHash, pendingAttempts: 3, pendingSince: new Date(now + 36_000_000).toISOString() },
    }),
  );
  await old.insert(
    'mfas',
    ...[oldMfa('dora', { isVerified: 1 }), oldMfa('emil', { isVerified: 0 })].map((mfa) => ({
      ...mfa,
      sealedSecret: sealer.seal(secret, `${mfa.identityId} ${mfa.id} secret`),
      sealedRecoveryCodes: sealer.seal(JSON.stringify(recoveryCodes), `${mfa.identityId} ${mfa.id} recovery codes`),
    })),
  );
  await old.insert(
    'enrollments',
    oldEnrollment('fred', {
      tokenHash: createHash('sha256').update(token).digest('base64url'),
      sealed: sealer.seal(JSON.stringify({ token, jwt: 'header.claims.signature' }), 'enroll-fred'),
      ...{ username: 'fred', expiresAt: new Date(now + 3_600_000).toISOString() },
    }),
  );
  const effect = JSON.stringify({ kind: 'endSessions', identityId: 'anna' });
  await old.insert('outbox', { effect, createdAt: new Date(now).toISOString() });
}
