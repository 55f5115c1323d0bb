import type { PeerListener } from './peers.ts';
import type { Topic } from './topics.ts';

interface Heard {
  readonly topic: string;
  readonly note: unknown;
  readonly from: string;
}

interface Listening {
  /** False: it is no note of this topic. */
  receive(heard: Heard): boolean;
  miss(): void;
}

/** Who listens to what peers say. */
export class PeerListeners {
  readonly #listening = new Map<string, Set<Listening>>();

  /** Returns a function that removes the listener. */
  add<Note extends object>({ name, schema }: Topic<Note>, listener: PeerListener<Note>): () => void {
    const listening: Listening = {
      receive({ note, from }) {
        const read = schema.safeParse(note);
        if (read.success) listener.onMessage(read.data, from);
        return read.success;
      },
      miss: () => listener.onMissed(),
    };
    const all = this.#listening.get(name) ?? new Set();
    this.#listening.set(name, all.add(listening));
    return () => void all.delete(listening);
  }

  /** False: it is no note of its topic. What nobody listens to is one. */
  tell(heard: Heard): boolean {
    return [...(this.#listening.get(heard.topic) ?? [])].every((listening) => listening.receive(heard));
  }

  miss(): void {
    for (const all of this.#listening.values()) for (const listening of all) listening.miss();
  }
}
