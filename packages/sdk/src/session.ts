import type { AuthQueryDetail, CurrentApiSessionDetail } from '@edge-controller/shared-types';

/** The API session of a client. Frozen; read `edge.session` again for later values. The token is not part of it. */
export interface Session {
  /** `partial` while authentication queries are outstanding. */
  readonly state: 'full' | 'partial';
  readonly id: string;
  readonly identity: { readonly id: string; readonly name: string };
  /** When the session ends without a further call, by the clock of this machine. */
  readonly expiresAt: Date;
  /** The session timeout in seconds. */
  readonly expirationSeconds: number;
  readonly authQueries: readonly AuthQueryDetail[];
}

/** `expiresAt`: milliseconds by the local clock. */
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
