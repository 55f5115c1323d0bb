import type { TokenStorage } from '../api/token-storage.ts';
import { withDeadline } from '../errors/deadline.ts';
import { createQueue } from '../lib/queue.ts';

export type Exclusive = NonNullable<TokenStorage['exclusive']>;

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
