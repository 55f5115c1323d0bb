import { shortId } from '../lib/ids.ts';
import type { PeerListener, Peers } from './peers.ts';

/** A controller whose stores are its own has no peers: it tells itself. */
export function createAlone(): Peers {
  const listeners = new Map<string, Set<PeerListener>>();
  const tell = async (topic: string, note: object) => {
    for (const listener of listeners.get(topic) ?? []) listener.onNote(note);
  };
  return {
    id: shortId(),
    tell,
    tellOne: (_peerId, topic, note) => tell(topic, note),
    async listen(topic, listener) {
      const all = listeners.get(topic) ?? new Set();
      listeners.set(topic, all.add(listener));
      return () => void all.delete(listener);
    },
    show: async () => undefined,
    shown: async () => new Map(),
    close: async () => undefined,
  };
}
