import type { Touched } from './session-store.ts';

/** A touch that waits for the batch of its event-loop turn. */
export interface PendingTouch {
  readonly tokenHash: string;
  readonly resolve: (touched: Touched) => void;
  readonly reject: (error: unknown) => void;
}
