import { setTimeout as delay } from 'node:timers/promises';
import { expect, inject, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { createSealer } from '../../src/core/secrets/sealer.ts';
import { createRedisClient } from '../../src/storage/database/redis/clients.ts';
import { createRedisPeers } from '../../src/storage/peers/redis-peers.ts';
import type { Topic } from '../../src/storage/peers/topics.ts';
import { freshRedis, startPrivateRedis } from '../support/redis.ts';

const schema = z.object({ number: z.number() });
const tested: Topic<{ number: number }> = { name: 'tested', schema };
const other: Topic<{ number: number }> = { name: 'other', schema };
const allChannel = (url: string) => `edge:controllers:${new URL(url).pathname.slice(1) || '0'}`;

async function startPeer(url: string, { clock = Date.now, key = 1 } = {}) {
  const warn = vi.fn<(message: string) => void>();
  const peer = createRedisPeers({ url, clock, warn, sealer: Promise.resolve(createSealer(Buffer.alloc(32, key))) });
  onTestFinished(() => peer.close());
  const received: (object | 'missed')[] = [];
  await peer.listen(tested, {
    onMessage: (message) => received.push(message),
    onMissed: () => received.push('missed'),
  });
  return { peer, received, warn };
}

/** One of its own: other tests close the connections of all who listen. */
async function ownRedis(): Promise<string> {
  const redis = await startPrivateRedis();
  onTestFinished(() => redis[Symbol.asyncDispose]());
  return redis.url;
}

/** Somebody who can read and write everything, and has no key. */
async function startAttacker(url: string) {
  const [client, subscriber] = await Promise.all([
    createRedisClient({ url }).connect(),
    createRedisClient({ url }).connect(),
  ]);
  onTestFinished(() => void Promise.all([client.close(), subscriber.close()]));
  const recorded: { readonly channel: string; readonly text: string }[] = [];
  await subscriber.pSubscribe('edge:*', (text, channel) => recorded.push({ channel, text }));
  return { client, recorded };
}

it('controllers of one network get the messages of each other, and nothing of a network in another database of the same Redis', async () => {
  const [here, elsewhere] = [await freshRedis(inject('redisUrl')), await freshRedis(inject('redisUrl'))];
  const [one, two, foreign] = [await startPeer(here), await startPeer(here), await startPeer(elsewhere)];
  await one.peer.publish(tested, { number: 1 });
  await foreign.peer.publish(tested, { number: 2 });
  await one.peer.sendToOne(two.peer.id, tested, { number: 3 });
  await one.peer.publish(tested, { number: 4 });
  await vi.waitFor(() => expect(two.received).toHaveLength(3));
  // A number that is not the next one would be noticed now or with the next check.
  await delay(1_500);
  expect(one.received).toEqual([{ number: 1 }, { number: 4 }]);
  expect(two.received).toEqual([{ number: 1 }, { number: 3 }, { number: 4 }]);
  expect(foreign.received).toEqual([{ number: 2 }]);
});

it('a message is received also when somebody has deleted the list of those who listen', async () => {
  const url = await ownRedis();
  const { client } = await startAttacker(url);
  const [one, two] = [await startPeer(url), await startPeer(url)];
  for (let number = 1; number <= 20; number += 1) {
    await client.del('edge:controllers');
    await one.peer.publish(tested, { number });
  }
  await vi.waitFor(() => expect(two.received).toHaveLength(20));
  expect(two.received).not.toContain('missed');
});

it('a message that no controller has sent is ignored, and each reason is logged once', async () => {
  const url = await ownRedis();
  const { client, recorded } = await startAttacker(url);
  const [one, two, foreign] = [await startPeer(url), await startPeer(url), await startPeer(url, { key: 2 })];
  await one.peer.publish(tested, { number: 1 });
  await one.peer.sendToOne(two.peer.id, tested, { number: 2 });
  await vi.waitFor(() => expect(two.received).toHaveLength(2));
  const [sent = '', alone = ''] = recorded.map(({ text }) => text);
  const sealed = sent.slice(sent.indexOf(' ') + 1);
  const own = `edge:controller:${two.peer.id}`;
  const garbage = ['', '{', 'null', '0', '1 ', '{"topic":"tested","note":null}', '2 {"topic":"tested","note":{}}'];
  for (const text of garbage) await Promise.all([client.publish(allChannel(url), text), client.publish(own, text)]);
  // Replayed, changed, at another place, by another network.
  for (const text of [sent, sent.replace('"number":1', '"number":9'), `3 ${sealed}`, `3 ${alone}`]) {
    await client.publish(allChannel(url), text);
  }
  for (const text of [alone, sealed, alone.replace('tested', 'other')]) await client.publish(own, text);
  await client.publish(`edge:controller:${one.peer.id}`, alone);
  await foreign.peer.sendToOne(two.peer.id, tested, { number: 3 });
  await one.peer.sendToOne(two.peer.id, other, { number: 4 });
  await one.peer.sendToOne(two.peer.id, tested, { number: 5 });
  await vi.waitFor(() => expect(two.received).toContainEqual({ number: 5 }));
  expect(two.received).toEqual([{ number: 1 }, { number: 2 }, { number: 5 }]);
  expect(one.received).toEqual([{ number: 1 }]);
  expect(two.warn.mock.calls.map(([message]) => message.split(': ').at(-1))).toEqual([
    'a message that no controller has sent',
    'a message that was received before',
  ]);
});

it('a message that does not fit its topic, or with which a listener fails, ends nothing', async () => {
  const url = await ownRedis();
  const [one, two] = [await startPeer(url), await startPeer(url)];
  const onMessage = () => {
    throw new Error('a fault');
  };
  await two.peer.listen(other, { onMessage, onMissed: () => undefined });
  const unknown: Topic<object> = { name: 'tested', schema: z.object({}) };
  await one.peer.sendToOne(two.peer.id, unknown, { text: 'a' });
  await one.peer.sendToOne(two.peer.id, other, { number: 1 });
  await one.peer.sendToOne(two.peer.id, tested, { number: 2 });
  await vi.waitFor(() => expect(two.received).toEqual([{ number: 2 }]));
  expect(two.warn).toHaveBeenCalledTimes(2);
});

it('a message of another time is not taken for new: everything is read again', async () => {
  const url = await ownRedis();
  const one = await startPeer(url, { clock: () => Date.now() - 40_000 });
  const two = await startPeer(url);
  await one.peer.publish(tested, { number: 1 });
  await vi.waitFor(() => expect(two.received).toEqual(['missed']));
  expect(two.warn.mock.calls.flat().join()).toContain('clock');
  expect((await two.peer.shown(schema)).size).toBe(0);
});

it('a state is shown only by its controller, until it stops', async () => {
  const url = await ownRedis();
  const { client } = await startAttacker(url);
  const [one, two] = [await startPeer(url), await startPeer(url)];
  await one.peer.show({ number: 1 });
  const key = `edge:controller:${one.peer.id}`;
  const before = (await client.get(key)) ?? '';
  await one.peer.show({ number: 2 });
  const shown = async () => Object.fromEntries(await two.peer.shown(schema));
  expect(await shown()).toEqual({ [one.peer.id]: { number: 2 } });
  await client.zAdd('edge:controllers', [
    { score: Date.now(), value: 'forged0000' },
    { score: Date.now(), value: 'no id' },
  ]);
  for (const text of ['{}', '{"number":3}', before, before.replace('"number":1', '"number":3'), 'x']) {
    await Promise.all([client.set(key, text), client.set('edge:controller:forged0000', text)]);
    await client.set('edge:controller:no id', text);
    expect(await shown()).toEqual({ [one.peer.id]: { number: 2 } });
  }
  await client.del([key, 'edge:controllers']);
  expect(await shown()).toEqual({ [one.peer.id]: { number: 2 } });
  // What it shows is not what this version knows.
  await one.peer.show({ number: 'a' });
  expect(await shown()).toEqual({});
  await one.peer.show({ number: 4 });
  const last = (await client.get(key)) ?? '';
  expect(await shown()).toEqual({ [one.peer.id]: { number: 4 } });
  await one.peer.close();
  expect(await shown()).toEqual({});
  await client.set(key, last);
  expect(await shown()).toEqual({});
});
