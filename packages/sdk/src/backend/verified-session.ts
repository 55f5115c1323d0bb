import type { AuthQueryDetail, CurrentApiSessionDetail } from '../api/generated/entities.ts';
import { timeoutOf } from '../session/session-of.ts';

/** An API session that the controller has confirmed, without its token. The object is frozen. */
export interface VerifiedSession {
  /** The id of the API session. */
  readonly id: string;
  readonly identityId: string;
  readonly identity: { readonly id: string; readonly name: string };
  /** The authenticator that the identity signed in with. */
  readonly authenticatorId: string;
  /** `partial` while authentication queries are outstanding: the identity has not proved its second factor. */
  readonly state: 'full' | 'partial';
  readonly authQueries: readonly AuthQueryDetail[];
  /** The address that the identity signed in from, as the controller saw it. */
  readonly ipAddress: string;
  /** When the session ends if nobody uses it, by the clock of this machine; `null` if the controller does not tell it. */
  readonly expiresAt: Date | null;
  /** When the controller was asked, by the clock of this machine. */
  readonly verifiedAt: Date;
}

/** `askedAt`: milliseconds since 1970. */
export function verifiedSessionOf(detail: CurrentApiSessionDetail, askedAt: number): VerifiedSession {
  const authQueries = Object.freeze((detail.authQueries ?? []).map((query) => Object.freeze({ ...query })));
  const timeout = timeoutOf(detail);
  return Object.freeze({
    id: detail.id,
    identityId: detail.identityId,
    identity: Object.freeze({ id: detail.identityId, name: detail.identity?.name ?? '' }),
    authenticatorId: detail.authenticatorId ?? '',
    state: authQueries.length === 0 ? 'full' : 'partial',
    authQueries,
    ipAddress: detail.ipAddress ?? '',
    expiresAt: timeout === null ? null : new Date(askedAt + timeout),
    verifiedAt: new Date(askedAt),
  });
}
