import type { ControllerOptions } from '@edge-controller/server';
import type { EdgeClock } from '../api/edge-clock.ts';
import { systemClock } from '../lib/clock.ts';

/**
 * The clock of a test controller and of its clients. It runs like the clock of the machine, and a test can advance it. A client
 * that the application creates has it when it gets the option `clock`.
 *
 * @example
 * const edge = createEdgeClient(controller.url, { ca: controller.ca, clock: controller.clock });
 */
export interface TestClock extends EdgeClock {
  /**
   * Lets time pass for the controller and its clients: API sessions end, TOTP codes change, enrollments and JWTs expire. A
   * controller with `redisUrl` is an exception: there Redis measures the timeout of API sessions.
   *
   * It is a jump, as the sleep of a laptop is: what would have happened on the way does not happen. Advance the clock into the last
   * minute of a session to see `expiring`, then beyond the end to see `expired`.
   *
   * @returns a promise that resolves when the clients have found out what it means for their sessions, and have run the listeners
   * @throws RangeError for a negative time, because time never goes back, and for one without an end
   * @example
   * await controller.clock.advance(31 * 60_000); // all API sessions have ended
   */
  advance(milliseconds: number): Promise<void>;
}

/** A clock, and the options that make a controller use it. */
export function createTestClock(): {
  clock: TestClock;
  options: Required<Pick<ControllerOptions, 'clock' | 'machine'>>;
} {
  let ahead = 0;
  const listeners = new Set<Parameters<NonNullable<EdgeClock['onJump']>>[0]>();
  const now = () => systemClock() + ahead;
  const running = () => performance.now() + ahead;

  async function notifyClients(): Promise<void> {
    const work: Promise<unknown>[] = [];
    for (const listener of listeners) listener((promise) => work.push(promise));
    await Promise.all(work);
  }

  return {
    clock: {
      now,
      onJump(listener, signal) {
        if (signal.aborted) return;
        listeners.add(listener);
        signal.addEventListener('abort', () => listeners.delete(listener));
      },
      advance(milliseconds) {
        const isTime = milliseconds >= 0 && Number.isFinite(milliseconds);
        if (!isTime) throw new RangeError('the clock of a controller can only be advanced, by a finite time');
        ahead += milliseconds;
        return notifyClients();
      },
    },
    // Without a boot id, a restarted controller counts the time by `clock`.
    options: { clock: now, machine: { bootId: null, uptime: running, running } },
  };
}
