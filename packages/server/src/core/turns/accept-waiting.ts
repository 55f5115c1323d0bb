import type { Server } from 'node:net';
import { setImmediate } from 'node:timers/promises';

/** Milliseconds of a turn of the event loop in which hardly a connection came after the listener was polled. */
const quickTurn = 0.2;

/**
 * Accepts the connections that wait in the backlog of a listener, because to close it would reset them. Returns in a
 * quick turn of the event loop that found none, or after `limit` milliseconds. Close the listener at once then.
 */
export async function acceptWaiting(server: Server, limit: number): Promise<void> {
  const end = performance.now() + limit;
  let accepted = 0;
  const count = () => {
    accepted += 1;
  };
  server.on('connection', count);
  // From one check phase of the event loop to the next one, it polls the listener once.
  await setImmediate();
  for (let isQuiet = false; !isQuiet && performance.now() < end; ) {
    const before = accepted;
    const startedAt = performance.now();
    await setImmediate();
    isQuiet = accepted === before && performance.now() - startedAt < quickTurn;
  }
  server.off('connection', count);
}
