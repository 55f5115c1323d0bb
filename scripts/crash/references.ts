import { setTimeout as sleep } from 'node:timers/promises';
import { danglingInFile, danglingInRedis } from '../../packages/server/test/support/dangling.ts';
import type { Fault } from './controller.ts';

/** Milliseconds in which a controller removes what a killed one has left. */
const deadline = 10_000;

/** Nothing in the session store may refer to an API session that is not there. The controller runs. */
export async function checkReferences({ dataDir, fault }: { readonly dataDir: string; readonly fault: Fault }) {
  const giveUpAt = performance.now() + deadline;
  let left = await danglingIn(dataDir);
  while (left.length > 0 && performance.now() < giveUpAt) {
    await sleep(200);
    left = await danglingIn(dataDir);
  }
  for (const reference of left) fault(`without an API session: ${JSON.stringify(reference)}`);
}

async function danglingIn(dataDir: string): Promise<readonly unknown[]> {
  const { EDGE_REDIS_URL: url } = process.env;
  if (!url) return danglingInFile(dataDir);
  const { lost, waiting } = await danglingInRedis(url);
  return [...lost, ...waiting];
}
