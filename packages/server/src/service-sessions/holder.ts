import type { ApiSessionRecord, LiveApiSession, SessionStore } from '../session-store/session-store.ts';
import type { AuthQuery } from '../sessions/auth-state.ts';
import type { Principal } from '../sessions/load-principals.ts';
import { evaluate } from '../sessions/sessions.ts';

/** An API session that may have sessions of services. */
export interface Holder {
  readonly record: ApiSessionRecord;
  readonly principal: Principal;
  /** Reads the text of its posture data, once. */
  readonly posture: () => Promise<string | null>;
}

export function holderOf(
  { sessions }: { readonly sessions: Pick<SessionStore, 'data'> },
  { record, principal }: Pick<Holder, 'record' | 'principal'>,
): Holder {
  let read: Promise<string | null> | null = null;
  return {
    record,
    principal,
    posture() {
      read ??= sessions.data.read([record.tokenHash], 'posture').then(([json]) => json ?? null);
      return read;
    },
  };
}

/**
 * Whether an API session may have sessions: its policy allows it, and its TOTP is proven. A JWT that must be in every request
 * does not count here, because nobody makes a request.
 */
export function mayHold(
  services: { readonly authQueries: readonly AuthQuery[] },
  stored: LiveApiSession,
  principal: Principal,
): boolean {
  const { isAllowed, authQueries } = evaluate(services, stored, principal);
  return isAllowed && !authQueries.some(({ typeId }) => typeId === 'MFA');
}
