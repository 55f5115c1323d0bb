import type { Frame } from '@edge-controller/shared-types/channel';
import { FrameError, headerValue, readHeader } from '@edge-controller/shared-types/channel';
import type { Channel } from '../channel/channel.ts';
import { frameOf } from '../channel/messages.ts';
import type { Destination, Item } from '../circuits/item.ts';

/** What two doubles send each other about a link. Nobody else reads it: links of real routers have another protocol. */
export const linkTypes = { hello: 0, data: 1_100, acknowledgement: 1_101, close: 1_103 } as const;
export const linkHeaders = { routerId: 1, linkId: 2, iteration: 3, circuitId: 10, sequence: 11, flags: 12 } as const;

export const linkLimits = { headers: 65_536, body: 16 * 1_024 * 1_024 };

interface LinkOptions {
  readonly id: string;
  /** How often the link has been made. */
  readonly iteration: number;
  readonly peerId: string;
  /** Whether this router dialed it. Then it reports the link to the controller. */
  readonly isDialed: boolean;
  readonly channel: Channel;
}

/** A connection to another router. */
export class Link implements Destination {
  readonly id: string;
  readonly iteration: number;
  readonly peerId: string;
  readonly isDialed: boolean;
  readonly #channel: Channel;

  constructor({ id, iteration, peerId, isDialed, channel }: LinkOptions) {
    this.id = id;
    this.iteration = iteration;
    this.peerId = peerId;
    this.isDialed = isDialed;
    this.#channel = channel;
  }

  take(circuitId: string, item: Item): void {
    const all = new Map([[linkHeaders.circuitId, headerValue.text(circuitId)]]) as Map<number, Uint8Array>;
    if (item.kind !== 'close') all.set(linkHeaders.sequence, headerValue.u32(item.sequence));
    if (item.kind === 'data' && item.flags !== undefined) all.set(linkHeaders.flags, headerValue.u32(item.flags));
    const body = item.kind === 'data' ? { body: item.body } : {};
    this.#channel.send(frameOf({ type: linkTypes[item.kind], headers: all, ...body }, 0));
  }

  close(reason: string): void {
    this.#channel.close(reason);
  }
}

/** What another double sent through a link. */
export function readItem({ type, headers, body }: Frame): { readonly circuitId: string; readonly item: Item } {
  const circuitId = readHeader.text(headers.get(linkHeaders.circuitId)) ?? '';
  const sequence = readHeader.u32(headers.get(linkHeaders.sequence)) ?? 0;
  if (type === linkTypes.close) return { circuitId, item: { kind: 'close' } };
  if (type === linkTypes.acknowledgement) return { circuitId, item: { kind: 'acknowledgement', sequence } };
  if (type !== linkTypes.data) throw new FrameError(`no frame of a link: ${type}`);
  const flags = readHeader.u32(headers.get(linkHeaders.flags));
  return { circuitId, item: { kind: 'data', sequence, flags, body } };
}
