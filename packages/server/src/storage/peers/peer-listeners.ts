import type { PeerListener } from './peers.ts';
import type { Topic } from './topics.ts';

interface Received {
  readonly topic: string;
  readonly message: unknown;
  readonly from: string;
}

interface Listening {
  /** False: it is no message of this topic. */
  receive(received: Received): boolean;
  miss(): void;
}

/** Who listens to what peers say. */
export class PeerListeners {
  readonly #listening = new Map<string, Set<Listening>>();

  /** Returns a function that removes the listener. */
  add<Message extends object>({ name, schema }: Topic<Message>, listener: PeerListener<Message>): () => void {
    const listening: Listening = {
      receive({ message, from }) {
        const read = schema.safeParse(message);
        if (read.success) listener.onMessage(read.data, from);
        return read.success;
      },
      miss: () => listener.onMissed(),
    };
    const all = this.#listening.get(name) ?? new Set();
    this.#listening.set(name, all.add(listening));
    return () => void all.delete(listening);
  }

  /** False: the message does not fit the schema of its topic. A topic without listeners takes every message. */
  deliver(received: Received): boolean {
    return [...(this.#listening.get(received.topic) ?? [])].every((listening) => listening.receive(received));
  }

  miss(): void {
    for (const all of this.#listening.values()) for (const listening of all) listening.miss();
  }
}
