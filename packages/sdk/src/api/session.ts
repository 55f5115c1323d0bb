import type { AuthQueryDetail } from './generated/entities.ts';

/** What full and partial sessions have in common. */
export interface SessionBase {
  readonly id: string;
  readonly identity: { readonly id: string; readonly name: string };
  /**
   * When the session ends if no further call is made, by the clock of this machine or the `clock` of the options. `null` when the
   * controller does not tell it. It is at most a second behind.
   */
  readonly expiresAt: Date | null;
  /** The session timeout in seconds. `null` when the controller does not tell it. */
  readonly expirationSeconds: number | null;
}

/** An API session without outstanding authentication queries. */
export interface FullSession extends SessionBase {
  readonly state: 'full';
  /** Empty. It has the methods of a list of queries, so that those of both kinds of sessions can be searched alike. */
  readonly authQueries: readonly AuthQueryDetail[] & { readonly length: 0 };
}

/** An API session with outstanding authentication queries. */
export interface PartialSession extends SessionBase {
  readonly state: 'partial';
  /** At least one. A newer controller may send queries of other types. */
  readonly authQueries: readonly [AuthQueryDetail, ...AuthQueryDetail[]];
}

/**
 * The API session of a client, without its token. `state` tells what it is. The object is frozen; `edge.session` is a new one
 * when it changed.
 */
export type Session = FullSession | PartialSession;
