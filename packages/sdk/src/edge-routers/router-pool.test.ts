import { createSecureContext } from 'node:tls';
import { edgeTypes } from '@edge-controller/shared-types/channel';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Authority } from '../../test/support/openssl.ts';
import { createAuthority } from '../../test/support/openssl.ts';
import { lost } from '../../test/support/peer-channel.ts';
import { routerCertificate, routerPeers } from '../../test/support/router-peer.ts';
import { EdgeConnectionError } from './connection-error.ts';
import { openChannel } from './open-channel.ts';
import { RouterPool } from './router-pool.ts';

let authority: Authority;
beforeAll(() => {
  authority = createAuthority();
});
afterAll(() => authority[Symbol.dispose]());

function openPool() {
  const opened: string[] = [];
  const pool = new RouterPool((url) => {
    opened.push(url);
    const secureContext = createSecureContext({ ...routerCertificate(authority), ca: authority.ca });
    return openChannel({ url, secureContext, token: 't', identityId: 'i', explain: async () => lost });
  });
  return { pool, opened };
}

const nowhere = 'tls://localhost:1';

test('a channel is opened once, and again when it was lost', async () => {
  const { pool, opened } = openPool();
  const peers = await routerPeers(authority);
  const [one, other] = await Promise.all([pool.channel(peers.url), pool.channel(peers.url)]);
  expect(other).toBe(one);
  expect(await pool.channel(peers.url)).toBe(one);
  (await peers.next()).socket.destroy();
  await vi.waitFor(() => expect(one.isOpen).toBe(false));
  expect(await pool.nearest([peers.url])).not.toBe(one);
  expect(opened).toHaveLength(2);
  pool.end(lost);
});

test('the first router that answers counts, and later the one that answers fastest', async () => {
  const { pool } = openPool();
  const [far, near] = [await routerPeers(authority), await routerPeers(authority)];
  const urls = [nowhere, far.url, near.url];
  await pool.nearest(urls);
  const channels = [await pool.channel(far.url), await pool.channel(near.url)];
  for (const [peers, delay] of [
    [far, 60],
    [near, 0],
  ] as const) {
    const peer = await peers.next();
    const [probe] = await vi.waitFor(() => (peer.probes.length > 0 ? peer.probes : Promise.reject(new Error('none'))));
    setTimeout(() => probe && peer.reply(probe, edgeTypes.result), delay);
  }
  await vi.waitFor(() => expect(channels.every(({ latency }) => latency < 10_000)).toBe(true));
  expect((await pool.nearest(urls)).url).toBe(near.url);
  expect((await pool.nearest([far.url])).url).toBe(far.url);
  pool.end(lost);
});

test('a channel that a full connection holds up gets no more, and another one is opened', async () => {
  const { pool } = openPool();
  const peers = await routerPeers(authority);
  const paused = await pool.channel(peers.url);
  paused.fill(pool);
  expect(await pool.nearest([peers.url])).not.toBe(paused);
  pool.end(lost);
});

test('without a router that can be reached, the error has all reasons', async () => {
  const { pool } = openPool();
  await expect(pool.nearest([nowhere])).rejects.toMatchObject({
    code: 'NO_ROUTER',
    reason: expect.stringContaining('ECONNREFUSED'),
    cause: { errors: [{ name: 'EdgeNetworkError', code: 'ECONNREFUSED' }] },
  });
  await expect(pool.nearest([])).rejects.toMatchObject({ code: 'NO_ROUTER', reason: null });
});

test('after its end, nothing is opened', async () => {
  const { pool } = openPool();
  const peers = await routerPeers(authority);
  const opening = pool.channel(peers.url);
  const ended = new EdgeConnectionError('SESSION_ENDED');
  pool.end(ended);
  await expect(opening).rejects.toBe(ended);
  await expect(pool.channel(peers.url)).rejects.toBe(ended);
});
