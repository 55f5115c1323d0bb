import { edgeHeaders, edgeTypes, headerValue } from '@edge-controller/shared-types/channel';
import type { Application, CircuitEnd } from '../circuits/circuit-end.ts';
import type { EdgeChannel } from './edge-channel.ts';
import { connectionHeader } from './edge-channel.ts';
import type { EdgeConnection } from './edge-connection.ts';

/** A connection of an application that carries data through a circuit. */
export class EdgeStream implements EdgeConnection, Application {
  readonly #channel: EdgeChannel;
  readonly #id: number;
  readonly #onEnd: () => void;
  #end: CircuitEnd | null = null;

  constructor(channel: EdgeChannel, id: number, onEnd: () => void = () => undefined) {
    this.#channel = channel;
    this.#id = id;
    this.#onEnd = onEnd;
  }

  set circuit(end: CircuitEnd) {
    this.#end = end;
  }

  data(flags: number | undefined, body: Uint8Array): void {
    this.#end?.send(flags, body);
  }

  closed(): void {
    this.#channel.remove(this.#id);
    this.#onEnd();
    this.#end?.close();
  }

  /** Ends it toward the application and in the circuit. */
  close(reason: string): void {
    this.#channel.sendClosed(this.#id, reason);
    this.closed();
  }

  deliver(flags: number | undefined, body: Uint8Array): boolean {
    const headers = connectionHeader(this.#id);
    if (flags !== undefined) headers.set(edgeHeaders.flags, headerValue.u32(flags));
    return this.#channel.send({ type: edgeTypes.data, headers, body });
  }

  whenReady(run: () => void): void {
    this.#channel.whenDrained(run);
  }

  ended(reason: string): void {
    this.#channel.sendClosed(this.#id, reason);
    this.#onEnd();
  }

  pause(): void {
    this.#channel.pause(this);
  }

  resume(): void {
    this.#channel.resume(this);
  }
}
