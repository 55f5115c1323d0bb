import { expect, inject, it } from 'vitest';
import { freshRedis, startPrivateRedis } from '../../../../../test/support/redis.ts';
import { createSealer } from '../../../../core/secrets/sealer.ts';
import { systemClock } from '../../../../core/time/clock.ts';
import { createRedisClient } from '../../../database/redis/clients.ts';
import { openRedisSessionStore } from '../session-store.ts';

const sealer = createSealer(Buffer.alloc(32, 1));
const certificate = (id: string) => ({
  ...{ id, subject: 'CN=a', fingerprint: 'f', validFrom: 1, validTo: 2, certPem: 'pem', createdAt: 3 },
});
const session = (tokenHash: string) => ({
  ...{ id: `c${tokenHash}`, tokenHash, sealedToken: 's', identityId: 'i', authenticatorId: 'a', credentialVersion: 0 },
  ...{ ipAddress: '::1', configTypes: [], createdAt: 1, updatedAt: 1, isMfaRequired: false, isMfaComplete: false },
  ...{ caId: null, caVersion: 0, signerId: null, signerVersion: 0, isCertExtendable: false },
  improperClientCertChain: false,
  ...({
    method: 'password',
    mfaId: null,
    mfaPassedAt: null,
    usesRouters: false,
    tokenReadBy: null,
    endsAt: null,
  } as const),
});

async function open(url: string) {
  const store = await openRedisSessionStore({ url, timeout: 60_000, clock: systemClock, sealer });
  const client = await createRedisClient({ url }).connect();
  const close = async () => void (await Promise.all([store.close(), client.close()]));
  return { store, client, [Symbol.asyncDispose]: close };
}

it('does not show a certificate that was changed, made or copied by somebody who can write to Redis', async () => {
  await using opened = await open(await freshRedis(inject('redisUrl')));
  const { store, client } = opened;
  await store.create(session('h1'), { certificates: [certificate('mine')] });
  await store.create(session('h2'));
  const text = (await client.hGet('edge:{h1}', 'certificate:mine')) ?? '';
  const seal = text.slice(0, text.indexOf('{'));
  const json = text.slice(seal.length);
  const record = (await client.hGet('edge:{h1}', 'record')) ?? '';
  const fields: Record<string, string> = {
    'certificate:copy': text,
    'certificate:unsealed': json,
    'certificate:changed': seal + json.replace('CN=a', 'CN=b'),
    'certificate:record': record,
    'certificate:empty': '',
    'certificate:text': 'text',
    'certificate:': text,
    other: text,
  };
  await client.hSet('edge:{h1}', fields);
  await client.hSet('edge:{h2}', { 'certificate:mine': text });
  expect(await store.certificates.list('h1')).toEqual([certificate('mine')]);
  expect(await store.certificates.list('h2')).toEqual([]);
  await client.hSet('edge:{h1}', 'record', text);
  expect((await store.touch('h1')).session).toBeNull();
});

it('adds nothing to a key without a session', async () => {
  await using opened = await open(await freshRedis(inject('redisUrl')));
  const { store, client } = opened;
  await store.create(session('h1'), { certificates: [certificate('one')] });
  await client.hDel('edge:{h1}', 'record');
  expect(await store.certificates.add('h1', certificate('two'), { limit: 10 })).toBe('no session');
  expect(await store.certificates.add('h2', certificate('two'), { limit: 10 })).toBe('no session');
  expect(await store.certificates.remove('h2', 'two')).toBe(false);
  expect((await client.hKeys('edge:{h1}')).sort()).toEqual(['certificate:one', 'certificates']);
  expect(await client.exists('edge:{h2}')).toBe(0);
});

it('does not read certificates when it touches, finds or changes a session', async () => {
  await using redis = await startPrivateRedis();
  await using opened = await open(redis.url);
  const { store, client } = opened;
  await store.create(session('h1'), {
    certificates: Array.from({ length: 100 }, (_, at) => certificate(`id${at}`)),
  });
  await client.configResetStat();
  expect((await store.touch('h1')).session?.id).toBe('ch1');
  expect((await store.find('ch1'))?.id).toBe('ch1');
  expect(await store.update('h1', { isMfaComplete: true })).toBe(true);
  const stats = [...(await client.info('commandstats')).matchAll(/^cmdstat_(h[^:]+):calls=(\d+)/gm)];
  const calls = Object.fromEntries(stats.map(([, name, count]) => [name, Number(count)]));
  // A touch and a find read the record once. A change reads it, compares it and replaces it.
  expect(calls).toEqual({ hget: 4, hset: 1 });
  expect(await store.certificates.list('h1')).toHaveLength(100);
});
