import { expect, it } from 'vitest';
import { sharedStores, startController } from '../support/controller.ts';

it('replicas with one Redis share the limit of attempts of a client address', async () => {
  const { open } = sharedStores;
  const options = { ...(await open()), sealKey: Buffer.alloc(32, 3), signInRate: 1, signInBurst: 4 };
  await using one = await startController(options);
  await using two = await startController(options);
  // A method that costs nothing, so that all attempts fall into one moment.
  const path = '/edge/client/v1/authenticate?method=cert';
  const attempts = Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? one : two).wire('POST', path));
  const responses = await Promise.all(attempts);
  const admitted = responses.filter(({ status }) => status === 401);
  const refused = responses.filter(({ status }) => status === 429);
  expect(admitted.length + refused.length).toBe(20);
  // One more when a second ends meanwhile. Without sharing it would be eight.
  expect([4, 5]).toContain(admitted.length);
  for (const { headers } of refused) expect(Number(headers['retry-after'])).toBeGreaterThan(0);
});
