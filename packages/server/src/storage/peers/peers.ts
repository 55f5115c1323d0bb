import type { z } from 'zod';
import type { Topic } from './topics.ts';

export interface PeerListener<Note extends object> {
  /** `from`: the controller that has said it. */
  onMessage(note: Note, from: string): void;
  /** Notes may be lost: the listener has to read everything again. */
  onMissed(): void;
}

/**
 * The controllers that share the stores. Notes are hints: what counts is in the stores. A listener is told when one may be lost.
 * Notes are JSON. Nothing in them is a secret. Nobody but these controllers says or shows something here, and everything is said once.
 */
export interface Peers {
  /** The id of this process among them. */
  readonly id: string;
  /** Tells the listeners of all controllers, also those of this one. Resolves when the note is sent. */
  publish<Note extends object>(topic: Topic<Note>, note: Note): Promise<void>;
  /** Tells the listeners of one controller. Nobody learns when it is lost. */
  sendToOne<Note extends object>(peerId: string, topic: Topic<Note>, note: Note): Promise<void>;
  /** Returns a function that removes the listener. */
  listen<Note extends object>(topic: Topic<Note>, listener: PeerListener<Note>): Promise<() => void>;
  /** Shows the others a state, in place of the last one, for as long as this process lives. */
  show(state: object): Promise<void>;
  /** What the others show, by their ids. It may be some seconds old. What does not fit the schema is left out. */
  shown<State extends object>(schema: z.ZodType<State>): Promise<ReadonlyMap<string, State>>;
  close(): Promise<void>;
}
