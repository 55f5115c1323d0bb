import type { AuthQueryDetail, CurrentApiSessionDetail } from './generated/entities.ts';

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

/** `expiresAt`: milliseconds since 1970 by the local clock. */
export function sessionOf(detail: CurrentApiSessionDetail, expiresAt: number | null): Session {
  const authQueries = Object.freeze([...(detail.authQueries ?? [])]);
  const timeout = timeoutOf(detail);
  return Object.freeze({
    state: authQueries.length === 0 ? 'full' : 'partial',
    id: detail.id,
    identity: Object.freeze({ id: detail.identityId, name: detail.identity?.name ?? '' }),
    expiresAt: expiresAt === null ? null : new Date(expiresAt),
    expirationSeconds: timeout && timeout / 1000,
    authQueries,
  });
}

/** The session timeout in milliseconds, or `null` when the controller does not tell it. */
export function timeoutOf(detail: CurrentApiSessionDetail): number | null {
  const told = Number(detail.expirationSeconds) * 1000;
  // The times are by the clock of the controller. Only their difference means something here.
  const timeout =
    told > 0 ? told : Date.parse(detail.expiresAt) - Date.parse(detail.lastActivityAt ?? detail.updatedAt);
  return timeout > 0 && timeout < longest ? timeout : null;
}

/** A hundred years in milliseconds. */
const longest = 3_155_760_000_000;
