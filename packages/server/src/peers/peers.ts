/** What one controller tells the others. `note` is JSON. Nothing in it is a secret. */
export type Note = object;

export interface PeerListener {
  onNote(note: Note): void;
  /** Notes may be lost: the listener has to read everything again. */
  onMissed(): void;
}

/**
 * The controllers that share the stores. Notes are hints: what counts is in the stores. A listener is told when one may be lost.
 */
export interface Peers {
  /** The id of this process among them. */
  readonly id: string;
  /** Tells the listeners of all controllers, also those of this one. Resolves when the note is sent. */
  tell(topic: string, note: Note): Promise<void>;
  /** Tells the listeners of one controller. Nobody learns when it is lost. */
  tellOne(peerId: string, topic: string, note: Note): Promise<void>;
  /** Returns a function that removes the listener. */
  listen(topic: string, listener: PeerListener): Promise<() => void>;
  /** Shows the others a state, in place of the last one, for as long as this process lives. */
  show(state: object): Promise<void>;
  /** What the others show, by their ids. It may be some seconds old. */
  shown(): Promise<ReadonlyMap<string, object>>;
  close(): Promise<void>;
}
