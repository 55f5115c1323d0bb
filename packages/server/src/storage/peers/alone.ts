import { shortId } from '../../core/secrets/ids.ts';
import { PeerListeners } from './peer-listeners.ts';
import type { Peers } from './peers.ts';

/** A controller whose stores are its own has no peers: it sends to itself. */
export function createAlone(): Peers {
  const id = shortId();
  const listeners = new PeerListeners();
  const deliver = async ({ name }: { readonly name: string }, message: object) => {
    listeners.deliver({ topic: name, message, from: id });
  };
  return {
    id,
    publish: deliver,
    sendToOne: (_peerId, topic, message) => deliver(topic, message),
    listen: async (topic, listener) => listeners.add(topic, listener),
    show: async () => undefined,
    shown: async () => new Map(),
    close: async () => undefined,
  };
}
