import { withDeadline } from '../deadline.ts';
import type { TokenStorage } from './token-storage.ts';

type Exclusive = NonNullable<TokenStorage['exclusive']>;

/** Milliseconds that a section may take. A storage that does not respond must not stop the others. */
const timeout = 5_000;

const known = new WeakMap<TokenStorage, Exclusive>();

/** Runs sections one after the other: by the member of the storage, else inside this process by its object. */
export function exclusiveOf(storage: TokenStorage): Exclusive {
  const exclusive = known.get(storage) ?? storage.exclusive?.bind(storage) ?? createQueue();
  known.set(storage, exclusive);
  return (key, section) =>
    exclusive(key, () => withDeadline({ signal: undefined, timeout, target: 'the storage' }, section));
}

export function createQueue(): Exclusive {
  let last: Promise<unknown> = Promise.resolve();
  return (_key, section) => {
    const run = last.then(section);
    last = run.catch(() => undefined);
    return run;
  };
}
