import type { z } from 'zod';
import type { Topic } from './topics.ts';

export interface PeerListener<Message extends object> {
  /** `from`: the controller that has said it. */
  onMessage(message: Message, from: string): void;
  /** Messages may be lost: the listener has to read everything again. */
  onMissed(): void;
}

/**
 * The controllers that share the stores. Messages are hints: what counts is in the stores. A listener learns when one may be lost.
 * Messages are JSON. Nothing in them is a secret. Nobody but these controllers says or shows something here, and everything is said once.
 */
export interface Peers {
  /** The id of this process among them. */
  readonly id: string;
  /** Sends a message to the listeners of all controllers, also those of this one. Resolves when the message is sent. */
  publish<Message extends object>(topic: Topic<Message>, message: Message): Promise<void>;
  /** Sends a message to the listeners of one controller. Nobody learns when it is lost. */
  sendToOne<Message extends object>(peerId: string, topic: Topic<Message>, message: Message): Promise<void>;
  /** Returns a function that removes the listener. */
  listen<Message extends object>(topic: Topic<Message>, listener: PeerListener<Message>): Promise<() => void>;
  /** Shows the others a state, in place of the last one, for as long as this process lives. */
  show(state: object): Promise<void>;
  /** What the others show, by their ids. It may be some seconds old. What does not fit the schema is left out. */
  shown<State extends object>(schema: z.ZodType<State>): Promise<ReadonlyMap<string, State>>;
  close(): Promise<void>;
}
