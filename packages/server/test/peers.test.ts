import { setTimeout as delay } from 'node:timers/promises';
import { expect, inject, it, onTestFinished, vi } from 'vitest';
import { createRedisPeers } from '../src/peers/redis-peers.ts';
import { freshRedis } from './support/redis.ts';

const topic = 'tested';

async function startPeer(url: string) {
  const peer = createRedisPeers(url, Date.now);
  onTestFinished(() => peer.close());
  const heard: (object | 'missed')[] = [];
  await peer.listen(topic, { onNote: (note) => heard.push(note), onMissed: () => heard.push('missed') });
  return { peer, heard };
}

it('controllers of one network hear each other, and nothing of a network in another database of the same Redis', async () => {
  const [here, elsewhere] = [await freshRedis(inject('redisUrl')), await freshRedis(inject('redisUrl'))];
  const [one, two, foreign] = [await startPeer(here), await startPeer(here), await startPeer(elsewhere)];
  await one.peer.tell(topic, { number: 1 });
  await foreign.peer.tell(topic, { number: 2 });
  await one.peer.tellOne(two.peer.id, topic, { number: 3 });
  await one.peer.tell(topic, { number: 4 });
  await vi.waitFor(() => expect(two.heard).toHaveLength(3));
  // A number that is not the next one would be noticed now or with the next check.
  await delay(1_500);
  expect(one.heard).toEqual([{ number: 1 }, { number: 4 }]);
  expect(two.heard).toEqual([{ number: 1 }, { number: 3 }, { number: 4 }]);
  expect(foreign.heard).toEqual([{ number: 2 }]);
});
