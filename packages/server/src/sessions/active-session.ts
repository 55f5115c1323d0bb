import type { ApiSessionRecord, LiveApiSession } from '../storage/session-store/session-store.ts';
import type { AuthState } from './auth-state.ts';
import type { Principal } from './load-principals.ts';

/** The API session of a request, evaluated for this request. */
export interface ActiveSession {
  readonly stored: LiveApiSession;
  /** As in `TouchedApiSession`. */
  readonly record: ApiSessionRecord;
  /** The token that the caller sent. */
  readonly token: string;
  readonly principal: Principal;
  readonly state: AuthState;
}
