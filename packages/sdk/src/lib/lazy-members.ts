import { copyArguments } from './copy-arguments.ts';

/** An object whose members are async functions. Their code is loaded at the first call. */
export function lazyMembers<T extends object>(names: readonly (keyof T & string)[], load: () => Promise<T>): T {
  const members = names.map((name) => [
    name,
    async (...given: unknown[]) => {
      const args = copyArguments(given);
      return ((await load())[name] as (...all: unknown[]) => unknown)(...args);
    },
  ]);
  return Object.fromEntries(members);
}
