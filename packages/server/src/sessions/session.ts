import type { AuthQueryDetail } from '@edge-controller/shared-types';
import type { LiveApiSession } from '../stores/session-store.ts';
import type { Principal } from './principals.ts';

/** The API session of a request, judged at this very request. */
export interface ActiveSession {
  readonly stored: LiveApiSession;
  /** The token the caller sent. */
  readonly token: string;
  readonly principal: Principal;
  /** Outstanding queries; empty: the session is full. */
  readonly authQueries: readonly AuthQueryDetail[];
}
