import type { TokenStorage } from '../api/token-storage.ts';

type Share = NonNullable<TokenStorage['share']>;

const known = new WeakMap<TokenStorage, Share>();

/** Carries messages between clients: by the member of the storage, else inside this process by its object. */
export function shareOf(storage: TokenStorage): Share {
  const share = known.get(storage) ?? storage.share?.bind(storage) ?? createHub();
  known.set(storage, share);
  return share;
}

function createHub(): Share {
  const members = new Set<{ key: string; listener: (message: unknown) => void }>();
  return (key, listener) => {
    const member = { key, listener };
    members.add(member);
    return {
      // Later, because the sender is in the middle of a change.
      post: (message) =>
        void Promise.resolve().then(() => {
          for (const one of members) if (one !== member && one.key === key) one.listener(message);
        }),
      close: () => void members.delete(member),
    };
  };
}
