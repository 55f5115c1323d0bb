import { vi } from 'vitest';

/** Milliseconds: the machine may be busy with other tests. */
const patience = 30_000;

/** Resolves when the check passes, soon or at last. */
export function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout: patience, interval: 20 });
}
