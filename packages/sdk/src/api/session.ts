import type { AuthQueryDetail } from './generated/entities.ts';

/** The API session of a client, without its token. The object is frozen; `edge.session` is a new one when it changed. */
export interface Session {
  /** `partial` while authentication queries are outstanding. */
  readonly state: 'full' | 'partial';
  readonly id: string;
  readonly identity: { readonly id: string; readonly name: string };
  /**
   * When the session ends if no further call is made, by the clock of this machine. `null` when the controller does not
   * tell it. It is at most a second behind.
   */
  readonly expiresAt: Date | null;
  /** The session timeout in seconds. `null` when the controller does not tell it. */
  readonly expirationSeconds: number | null;
  readonly authQueries: readonly AuthQueryDetail[];
}
