import type { Touched } from './session-store.ts';

/** A touch that waits for the end of its event-loop turn. */
export interface Waiting {
  readonly tokenHash: string;
  readonly resolve: (touched: Touched) => void;
  readonly reject: (error: unknown) => void;
}
