import { setImmediate } from 'node:timers';
import { encode, RemoveTerminatorsRequestSchema } from '@edge-controller/router-messages';
import type { Frame } from '@edge-controller/shared-types/channel';
import { controlHeaders, controlTypes, readHeader } from '@edge-controller/shared-types/channel';
import type { EdgeParts } from './edge-parts.ts';

/** Ids in one message. */
const maxIds = 50;
const maxRetries = 10;

/** Tells the controller which terminators are gone, until it knows. */
export class TerminatorRemovals {
  readonly #parts: Pick<EdgeParts, 'control' | 'timings' | 'timers'>;
  #ids: string[] = [];

  constructor(parts: Pick<EdgeParts, 'control' | 'timings' | 'timers'>) {
    this.#parts = parts;
  }

  add(id: string): void {
    this.#ids.push(id);
    // What goes together is reported together.
    if (this.#ids.length === 1) setImmediate(() => this.#sendAll());
  }

  #sendAll(): void {
    const ids = this.#ids;
    this.#ids = [];
    for (let at = 0; at < ids.length; at += maxIds) this.#send(ids.slice(at, at + maxIds), 0);
  }

  #send(terminatorIds: string[], retries: number): void {
    const { control, timings, timers } = this.#parts;
    const body = encode(RemoveTerminatorsRequestSchema, { terminatorIds });
    control.request({ type: controlTypes.removeTerminators, body }, timings.request, (reply) => {
      if (isSuccess(reply) || retries === maxRetries) return;
      timers.after(timings.retry * 2 ** retries, () => this.#send(terminatorIds, retries + 1));
    });
  }
}

function isSuccess(reply: Frame | null): boolean {
  return readHeader.boolean(reply?.headers.get(controlHeaders.isSuccess)) ?? false;
}
