import { expect, it, vi } from 'vitest';
import { startPrivateRedis } from '../../../../test/support/redis.ts';
import { createSealer } from '../../../core/secrets/sealer.ts';
import { systemClock } from '../../../core/time/clock.ts';
import { createRedisClient } from '../../database/redis/clients.ts';
import type { OnExpired } from '../session-store.ts';
import { openRedisSessionStore } from './session-store.ts';

const options = { timeout: 60_000, clock: systemClock, sealer: createSealer(Buffer.alloc(32, 1)) };
const record = {
  ...{ id: 'c1', tokenHash: 'h', sealedToken: 's', identityId: 'i', authenticatorId: 'a', credentialVersion: 0 },
  ...{ ipAddress: '::1', configTypes: [], createdAt: 1, updatedAt: 1, isMfaRequired: false, isMfaComplete: false },
  ...{ caId: null, caVersion: 0, signerId: null, signerVersion: 0, isCertExtendable: false },
  usesRouters: false,
  tokenReadBy: null,
  endsAt: null,
  improperClientCertChain: false,
  ...({ method: 'password', mfaId: null, mfaPassedAt: null } as const),
};

it('finds, lists and sweeps API sessions beside what somebody else has written to the indexes', async () => {
  await using redis = await startPrivateRedis();
  const { url } = redis;
  const expired: string[] = [];
  const onExpired: OnExpired = async (sessions) => void expired.push(...sessions.map(({ id }) => id));
  const store = await openRedisSessionStore({ ...options, url, onExpired });
  const client = await createRedisClient({ url }).connect();
  await store.create(record);
  const indexes = ['edge:ids', 'edge:created', 'edge:expiry', 'edge:expired', 'edge:identity:i', 'edge:sessions'];
  const texts = ['', ' ', 'c0', 'c0 h', 'c0 h i more', 'c1 h i more', 'z z z z', '\0 \0 \0', '{}', 'é é é'];
  for (const index of indexes)
    await client.zAdd(
      index,
      texts.map((value, score) => ({ score, value })),
    );
  // Half of them are where the order says, the others are not.
  for (const index of ['edge:ids', 'edge:identity:i']) await client.zAdd(index, { score: 0, value: 'z z z z' });
  await client.hSet('edge:{z}', 'record', '{}');
  expect((await store.find('c1'))?.id).toBe('c1');
  for (const query of [{}, { sort: 'createdAt' }, { sort: 'ipAddress' }, { filter: 'identity = "i"' }]) {
    const ids: string[] = [];
    for await (const batch of (await store.list(query)).batches) ids.push(...batch.map(({ id }) => id));
    expect(ids).toEqual(['c1']);
  }
  await vi.waitFor(async () => expect(await client.zCard('edge:expired')).toBe(0));
  expect(await client.zRange('edge:expiry', 0, -1)).toEqual(['c1 h i']);
  expect(expired).toEqual([]);
  expect(await store.removeByIdentity('i')).toBe(1);
  await Promise.all([store.close(), client.close()]);
});
