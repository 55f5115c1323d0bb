import type { Context } from 'node:vm';
import { createContext, Script } from 'node:vm';

interface Slot {
  run?: () => unknown;
}

const script = new Script('run()');
const slot: Slot = {};
let context: Context | undefined;

/**
 * Runs `task`, which must be synchronous. After so many milliseconds it is stopped, wherever it is, also in a loop or in a
 * regular expression. What it was working on must then not be used any more.
 *
 * @returns what `task` returns, or `null` when it was stopped
 * @throws what `task` throws
 */
export function withinTime<T extends object>(milliseconds: number, task: () => T): T | null {
  context ??= createContext(slot);
  slot.run = task;
  try {
    return script.runInContext(context, { timeout: milliseconds }) as T;
  } catch (error) {
    if (isTimeout(error)) return null;
    throw error;
  } finally {
    delete slot.run;
  }
}

/** The error is of the other context, so it is no `Error` of this one. */
function isTimeout(error: unknown): boolean {
  return (
    typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
  );
}
