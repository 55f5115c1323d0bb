import type { CurrentApiSessionDetail } from '../api/generated/entities.ts';
import type { Session } from '../api/session.ts';

/** `expiresAt`: milliseconds since 1970 by the local clock. */
export function sessionOf(detail: CurrentApiSessionDetail, expiresAt: number | null): Session {
  const authQueries = Object.freeze([...(detail.authQueries ?? [])]);
  const timeout = timeoutOf(detail);
  const session = {
    state: authQueries.length === 0 ? 'full' : 'partial',
    id: detail.id,
    identity: Object.freeze({ id: detail.identityId, name: detail.identity?.name ?? '' }),
    expiresAt: expiresAt === null ? null : new Date(expiresAt),
    expirationSeconds: timeout && timeout / 1000,
    authQueries,
  };
  // The compiler does not see that the state follows the number of queries.
  return Object.freeze(session as Session);
}

/** The session timeout in milliseconds, or `null` when the controller does not tell it. */
export function timeoutOf(detail: CurrentApiSessionDetail): number | null {
  const milliseconds = Number(detail.expirationSeconds) * 1000;
  // The times are by the clock of the controller. Only their difference means something here.
  const timeout =
    milliseconds > 0
      ? milliseconds
      : Date.parse(detail.expiresAt) - Date.parse(detail.lastActivityAt ?? detail.updatedAt);
  return timeout > 0 && timeout < longest ? timeout : null;
}

/**
 * When the session ends however much it is used, in milliseconds since 1970 by the local clock. `null`: only its timeout ends it.
 * `expiresAt`: when it ends without a call, by the local clock.
 */
export function lastEndOf(detail: CurrentApiSessionDetail, expiresAt: number | null): number | null {
  const more = Date.parse(detail.endsAt ?? '') - Date.parse(detail.expiresAt);
  return expiresAt === null || Number.isNaN(more) ? null : expiresAt + Math.max(0, more);
}

/** A hundred years in milliseconds. */
const longest = 3_155_760_000_000;
