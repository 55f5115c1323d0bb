import { setTimeout as sleep } from 'node:timers/promises';
import { isEdgeApiError } from '@edge-controller/sdk/node';
import { expect, it, onTestFailed } from 'vitest';
import { goHost } from './support/clients.ts';
import { startNetwork } from './support/network.ts';
import { nodeClient } from './support/node-clients.ts';

/** Milliseconds. Routers say every 10 seconds, at least, whose connections they have. */
const [timeout, heartbeat] = [15_000, 10_000];
/** Between two looks. */
const pause = 200;

it('an API session lives as long as a connection to a router, and ends one timeout later', {
  timeout: 240_000,
}, async () => {
  await using network = await startNetwork({ env: { EDGE_SESSION_TIMEOUT: `${timeout}ms` } });
  onTestFailed(() => console.error(network.logs()));
  const service = 'echo';
  await network.addService(service);
  await using _server = await goHost(await network.addIdentity('host', ['hosts']), service);
  const edge = await nodeClient(await network.addIdentity('caller', ['callers']), network.controller.url);
  const connection = await edge.dial(service);
  const { id } = await edge.client.currentApiSession.get();
  const isThere = async () => {
    try {
      await network.edge.management.apiSessions.get(id);
      return true;
    } catch (error) {
      if (isEdgeApiError(error, 'NOT_FOUND')) return false;
      throw error;
    }
  };

  const end = performance.now() + 3 * timeout;
  while (performance.now() < end) {
    expect(await isThere()).toBe(true);
    await sleep(pause);
  }
  expect(connection.closed).toBe(false);

  // The client does not sign out.
  connection.destroy();
  edge.dispose();
  const closedAt = performance.now();
  await network.until('the session has ended', async () => !(await isThere()), timeout + 5_000);
  const after = performance.now() - closedAt;
  console.log(`the session ended ${Math.round(after)} ms after the connection`);
  expect(after).toBeGreaterThan(timeout - heartbeat - pause);
});
