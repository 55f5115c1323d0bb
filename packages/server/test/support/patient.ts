import { afterAll, vi } from 'vitest';

// Tests wait for events, and on a busy machine an event comes late: such a test is slow then, and does not fail. Vitest runs this for
// every file. `expect.poll` has the same limit from `vitest.config.ts`.

/** Milliseconds. */
const patience = 30_000;

const { waitFor, waitUntil } = vi;
type Options = Parameters<typeof waitFor>[1];
const patient = (options: Options = {}) => {
  const given = typeof options === 'number' ? { timeout: options } : options;
  return { ...given, timeout: Math.max(patience, given.timeout ?? 0) };
};
vi.waitFor = (check, options) => waitFor(check, patient(options));
vi.waitUntil = (check, options) => waitUntil(check, patient(options));
afterAll(() => {
  Object.assign(vi, { waitFor, waitUntil });
});
