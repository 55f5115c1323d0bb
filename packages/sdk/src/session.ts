import type { AuthQueryDetail, CurrentApiSessionDetail } from '@edge-controller/shared-types';

/** The API session of a client, without its token. The object is frozen: read `edge.session` again for later values. */
export interface Session {
  /** `partial` while authentication queries are outstanding. */
  readonly state: 'full' | 'partial';
  readonly id: string;
  readonly identity: { readonly id: string; readonly name: string };
  /** When the session ends if no further call is made, by the clock of this machine. */
  readonly expiresAt: Date;
  /** The session timeout in seconds. */
  readonly expirationSeconds: number;
  readonly authQueries: readonly AuthQueryDetail[];
}

/** `expiresAt`: milliseconds since 1970 by the local clock. */
export function sessionOf(detail: CurrentApiSessionDetail, expiresAt: number): Session {
  const authQueries = Object.freeze([...(detail.authQueries ?? [])]);
  return Object.freeze({
    state: authQueries.length === 0 ? 'full' : 'partial',
    id: detail.id,
    identity: Object.freeze({ id: detail.identityId, name: detail.identity?.name ?? '' }),
    expiresAt: new Date(expiresAt),
    expirationSeconds: detail.expirationSeconds,
    authQueries,
  });
}
