import type { Frame } from '@edge-controller/shared-types/channel';
import { headers, readHeader } from '@edge-controller/shared-types/channel';
import type { Timers } from '../timers.ts';

/** `null`: no reply came in time, or the channel ended. */
type OnReply = (reply: Frame | null) => void;

/** Who waits for replies on a channel. */
export class PendingReplies {
  readonly #timers: Timers;
  readonly #waiting = new Map<number, OnReply>();

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** `onReply` runs before the next frame is read. */
  expect(sequence: number, timeout: number, onReply: OnReply): void {
    const end = (reply: Frame | null) => {
      cancel();
      this.#waiting.delete(sequence);
      onReply(reply);
    };
    const cancel = this.#timers.after(timeout, () => end(null));
    this.#waiting.set(sequence, end);
  }

  /** @returns whether somebody waited for this frame */
  take(frame: Frame): boolean {
    const sequence = readHeader.i32(frame.headers.get(headers.replyFor));
    const onReply = sequence === undefined ? undefined : this.#waiting.get(sequence);
    onReply?.(frame);
    return onReply !== undefined;
  }

  clear(): void {
    for (const onReply of [...this.#waiting.values()]) onReply(null);
  }
}
