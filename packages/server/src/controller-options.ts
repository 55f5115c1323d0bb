import type { Settings } from './core/config/schema.ts';
import type { Logger } from './core/log/log.ts';
import type { HashParameters } from './core/secrets/password-hash.ts';
import type { Clock } from './core/time/clock.ts';
import type { Machine } from './core/time/steady-clock.ts';

/** Settings that differ from the defaults. `log` writes the log lines (default: to standard error). */
export interface ControllerOptions extends Partial<Settings> {
  readonly log?: Logger;
  /** Returns the time in milliseconds since 1970. Default: the clock of the machine. */
  readonly clock?: Clock;
  /**
   * The clocks that measure how long API sessions and the keys of external signers live. With Redis, the server of Redis
   * measures the sessions. Default: the clocks of this machine, which nobody can set. For tests that let time pass.
   */
  readonly machine?: Machine;
  /** The cost of a password hash. Default: the minimum that OWASP recommends. Tests may use a lower one. */
  readonly passwordCost?: HashParameters;
  /**
   * False for a command that changes data while another controller serves with the same data directory. Default: true, and
   * with SQLite a second controller is refused.
   */
  readonly serves?: boolean;
  /**
   * Directory with the files of the web console, `index.html` at its top. They are read once, at the start. Default: the
   * console that comes with this package. It is served only if `consoleEnabled` is true.
   */
  readonly consoleDir?: string;
}
