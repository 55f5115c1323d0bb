import type { AuthQueryDetail, CurrentApiSessionDetail } from '../api/generated/entities.ts';
import { timeoutOf } from '../session/session-of.ts';

/** What the verified sessions of both kinds have in common. */
export interface VerifiedSessionBase {
  /** The id of the API session. */
  readonly id: string;
  readonly identityId: string;
  readonly identity: { readonly id: string; readonly name: string };
  /** The authenticator that the identity signed in with. */
  readonly authenticatorId: string;
  /** The address that the identity signed in from, as the controller saw it. */
  readonly ipAddress: string;
  /** When the session ends if nobody uses it, by the clock of this machine; `null` if the controller does not tell it. */
  readonly expiresAt: Date | null;
  /** When the controller was asked, by the clock of this machine. */
  readonly verifiedAt: Date;
}

/** An API session that the controller has confirmed, without its token. The object is frozen. */
export interface VerifiedSession extends VerifiedSessionBase {
  /** The identity has proved all that its auth policy asks for. */
  readonly state: 'full';
  /** Empty. */
  readonly authQueries: readonly AuthQueryDetail[] & { readonly length: 0 };
}

/** An API session whose identity has not proved its second factor. Only `allowPartial` gives it. */
export interface PartialVerifiedSession extends VerifiedSessionBase {
  /** Authentication queries are outstanding. */
  readonly state: 'partial';
  /** At least one. A newer controller may send queries of other types. */
  readonly authQueries: readonly [AuthQueryDetail, ...AuthQueryDetail[]];
}

export type KnownSession = VerifiedSession | PartialVerifiedSession;

/** `askedAt`: milliseconds since 1970. */
export function verifiedSessionOf(detail: CurrentApiSessionDetail, askedAt: number): KnownSession {
  const authQueries = Object.freeze((detail.authQueries ?? []).map((query) => Object.freeze({ ...query })));
  const timeout = timeoutOf(detail);
  const session = {
    id: detail.id,
    identityId: detail.identityId,
    identity: Object.freeze({ id: detail.identityId, name: detail.identity?.name ?? '' }),
    authenticatorId: detail.authenticatorId ?? '',
    state: authQueries.length === 0 ? 'full' : 'partial',
    authQueries,
    ipAddress: detail.ipAddress ?? '',
    expiresAt: timeout === null ? null : new Date(askedAt + timeout),
    verifiedAt: new Date(askedAt),
  };
  // The compiler does not see that the state follows the number of queries.
  return Object.freeze(session as KnownSession);
}
