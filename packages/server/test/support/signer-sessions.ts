import { join } from 'node:path';
import { defaultSettings } from '../../src/core/config/load.ts';
import { secretToken, sessionId, tokenHash } from '../../src/core/secrets/ids.ts';
import { thisMachine } from '../../src/core/time/clock.ts';
import { openSealer } from '../../src/storage/entity-store/seal-check.ts';
import type { Stores } from '../../src/storage/open-stores.ts';
import { openStores } from '../../src/storage/open-stores.ts';
import { signerCredential } from '../../src/storage/revocation/credentials.ts';
import type { TestController } from './controller.ts';

/** The stores of a running controller, opened once more beside it. */
export function openStoresBeside({ options }: TestController): Promise<Stores> {
  const { databaseUrl = null, redisUrl = null, dataDir = '', sealKey = null } = options;
  const settings = { ...defaultSettings(), databaseUrl, redisUrl, dataDir, serves: false };
  return openStores(settings, {
    clock: () => Date.now(),
    machine: thisMachine,
    openSealer: (database) => openSealer({ sealKey, file: join(dataDir, 'keys', 'seal.key'), database }),
    warn: () => undefined,
    meter: null,
    attemptRate: { rate: 0, burst: 1 },
  });
}

/** Stores what a sign-in with a JWT of a signer leaves, and returns the token of the API session. */
export async function openSignerSession(
  { database, sessions, sealer }: Stores,
  { identityId, signerId }: { readonly identityId: string; readonly signerId: string },
): Promise<string> {
  const authenticatorId = signerCredential(signerId);
  const { authVersion: signerVersion } = await database.db
    .selectFrom('externalJwtSigners')
    .select('authVersion')
    .where('id', '=', signerId)
    .executeTakeFirstOrThrow();
  await database.db
    .insertInto('credentials')
    .values({ identityId, authenticatorId, version: 0, keptSessionId: null })
    .onConflict((conflict) => conflict.columns(['identityId', 'authenticatorId']).doNothing())
    .execute();
  const [token, id, now] = [secretToken(), sessionId(Date.now()), Date.now()];
  await sessions.create({
    ...{ id, tokenHash: tokenHash(token), sealedToken: sealer.seal(token, id), identityId, authenticatorId },
    ...{ credentialVersion: 0, method: 'ext-jwt', ipAddress: '127.0.0.1', configTypes: [], createdAt: now },
    ...{
      updatedAt: now,
      isMfaRequired: false,
      isMfaComplete: false,
      mfaId: null,
      mfaPassedAt: null,
      usesRouters: false,
      tokenReadBy: null,
      endsAt: null,
      caId: null,
      caVersion: 0,
    },
    ...{ signerId, signerVersion, isCertExtendable: false, improperClientCertChain: false },
  });
  return token;
}
