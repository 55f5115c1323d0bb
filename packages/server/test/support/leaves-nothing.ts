import { afterAll, expect, vi } from 'vitest';

// The test files of a worker share its process, because it takes half a second of a core to load the server anew. So each must
// leave it as it was. Vitest runs this for every file, and this hook after all others.

const watched = ['uncaughtException', 'unhandledRejection', 'warning', 'SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR2'];

const [stateBefore, globalsBefore] = [processState(), globals()];
afterAll(() => {
  expect(processState()).toEqual(stateBefore);
  const now = globals();
  const changed = [...globalsBefore.keys(), ...now.keys()].filter(
    (name) => !Object.is(now.get(name), globalsBefore.get(name)),
  );
  expect(changed, 'the changed members of globalThis').toEqual([]);
});

function processState() {
  return {
    ...{ environment: { ...process.env }, folder: process.cwd(), exitCode: process.exitCode },
    hasFakeTimers: vi.isFakeTimers(),
    listeners: watched.map((name) => `${name}: ${process.listenerCount(name)}`),
  };
}

/** Without those of libraries, which come with the first import. */
function globals(): ReadonlyMap<string, unknown> {
  const members = Object.entries(Object.getOwnPropertyDescriptors(globalThis));
  return new Map(
    members.filter(([name]) => !name.startsWith('__')).map(([name, { value, get }]) => [name, value ?? get]),
  );
}
