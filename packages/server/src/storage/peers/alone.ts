import { shortId } from '../../core/secrets/ids.ts';
import { PeerListeners } from './peer-listeners.ts';
import type { Peers } from './peers.ts';

/** A controller whose stores are its own has no peers: it tells itself. */
export function createAlone(): Peers {
  const id = shortId();
  const listeners = new PeerListeners();
  const tell = async ({ name }: { readonly name: string }, note: object) => {
    listeners.tell({ topic: name, note, from: id });
  };
  return {
    id,
    publish: tell,
    sendToOne: (_peerId, topic, note) => tell(topic, note),
    listen: async (topic, listener) => listeners.add(topic, listener),
    show: async () => undefined,
    shown: async () => new Map(),
    close: async () => undefined,
  };
}
