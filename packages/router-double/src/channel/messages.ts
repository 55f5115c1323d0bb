import type { Frame } from '@edge-controller/shared-types/channel';
import { headers, headerValue, reflectedHeaders } from '@edge-controller/shared-types/channel';

/** What a side sends. The channel adds the sequence. */
export interface Message {
  readonly type: number;
  readonly headers?: ReadonlyMap<number, Uint8Array>;
  readonly body?: Uint8Array;
}

/** The sequence of a hello and of its answer. */
export const helloSequence = -1;

const noBytes = new Uint8Array();

export function frameOf({ type, headers: all = new Map(), body = noBytes }: Message, sequence: number): Frame {
  return { type, sequence, headers: all, body };
}

/** The message as a reply: with the sequence of the request, and the headers that come back. */
export function replyTo(request: Frame, message: Message): Message {
  const reflected = [...request.headers].filter(([key]) => key >= reflectedHeaders.from && key <= reflectedHeaders.to);
  return {
    ...message,
    headers: new Map([...reflected, ...(message.headers ?? []), [headers.replyFor, headerValue.i32(request.sequence)]]),
  };
}
