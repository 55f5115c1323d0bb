import type { ControllerOptions } from '@edge-controller/server';
import { systemClock } from '../lib/clock.ts';

/** The clock of a test controller. It runs like the clock of the machine, and a test can advance it. */
export interface TestClock {
  /** Returns milliseconds since 1970. */
  now(): number;
  /**
   * Lets time pass for the controller: API sessions end, TOTP codes change, enrollments and JWTs expire. A controller with
   * `redisUrl` is an exception: there Redis measures the timeout of API sessions.
   *
   * @throws RangeError for a negative time, because time never goes back, and for one without an end
   * @example
   * controller.clock.advance(31 * 60_000); // all API sessions have ended
   */
  advance(milliseconds: number): void;
}

/** A clock, and the options that make a controller use it. */
export function createTestClock(): {
  clock: TestClock;
  options: Required<Pick<ControllerOptions, 'clock' | 'machine'>>;
} {
  let ahead = 0;
  const now = () => systemClock() + ahead;
  const running = () => performance.now() + ahead;
  return {
    clock: {
      now,
      advance(milliseconds) {
        const isTime = milliseconds >= 0 && Number.isFinite(milliseconds);
        if (!isTime) throw new RangeError('the clock of a controller can only be advanced, by a finite time');
        ahead += milliseconds;
      },
    },
    // Without a boot id, a restarted controller counts the time by `clock`.
    options: { clock: now, machine: { bootId: null, uptime: running, running } },
  };
}
