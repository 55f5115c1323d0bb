import { expect, it } from 'vitest';
import { secretToken, sessionId, tokenHash } from '../../src/core/secrets/ids.ts';
import { startController, storePairs } from '../support/controller.ts';
import { openStoresBeside } from '../support/signer-sessions.ts';

const management = '/edge/management/v1';
const sealKey = Buffer.alloc(32, 7);

/** Routers of that version got every token, so whoever had a router would have the rights. */
it.each(storePairs)(
  'API sessions from before routers were distinguished end for identities with rights, and live for others, in $stores',
  async ({ open }) => {
    await using server = await startController({ ...(await open()), sealKey });
    const admin = await server.signIn();
    const stores = await openStoresBeside(server);
    const { database, sessions, sealer } = stores;
    /** A session of somebody new, as that version or this one has stored it. */
    const opened = async (usesRouters: boolean | null, rights: object) => {
      const { id: identityId } = await server.addUser(admin);
      await server.wire('PATCH', `${management}/identities/${identityId}`, { token: admin, body: rights });
      const { authenticatorId, version } = await database.db
        .selectFrom('credentials')
        .select(['authenticatorId', 'version'])
        .where('identityId', '=', identityId)
        .executeTakeFirstOrThrow();
      const [token, now] = [secretToken(), Date.now()];
      const id = sessionId(now);
      await sessions.create({
        ...{ id, tokenHash: tokenHash(token), sealedToken: sealer.seal(token, id), identityId, authenticatorId },
        ...{ credentialVersion: version, method: 'password', ipAddress: '127.0.0.1', configTypes: [] },
        ...{ createdAt: now, updatedAt: now, isMfaRequired: false, isMfaComplete: false, mfaId: null },
        ...{
          mfaPassedAt: null,
          usesRouters,
          tokenReadBy: null,
          caId: null,
          caVersion: 0,
          signerId: null,
          signerVersion: 0,
        },
        ...{ isCertExtendable: false, improperClientCertChain: false, endsAt: null },
      });
      const asked = () => server.wire('GET', '/edge/client/v1/current-identity', { token });
      return [(await asked()).status, (await asked()).status];
    };
    for (const rights of [{ isAdmin: true }, { permissions: ['service.read'] }]) {
      expect(await opened(null, rights)).toEqual([401, 401]);
      expect(await opened(false, rights)).toEqual([200, 200]);
    }
    expect(await opened(null, { permissions: [] })).toEqual([200, 200]);
    await stores.close();
  },
);
