import type { PreparedCall } from '../calls/prepared-call.ts';

/** A call with the credentials that were sent with it. */
export interface SentCall {
  readonly call: PreparedCall;
  readonly token: string | null;
  readonly jwts: readonly string[];
  /** Whether its session has outstanding authentication queries. */
  readonly isPartial: boolean;
}
