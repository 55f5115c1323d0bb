import type { AuthQueryDetail } from '@edge-controller/shared-types';
import type { CallOptions } from './options.ts';
import type { Session } from './session.ts';

/** The ways to answer an authentication query. */
export interface AuthQueryAnswers {
  /**
   * Answers the MFA query with a TOTP code or a recovery code, which is used up. White space in it is left out, small
   * letters count as capitals. Resolves to the session as the controller tells it afterwards: `full`, or `partial` while
   * other queries remain.
   *
   * @throws EdgeApiError `MFA_INVALID_TOKEN` for a wrong code (`isWrongCode(error)`): the session stays, another code
   *   may be tried, `attemptsRemaining` says how often. `SERVER_TOO_MANY_REQUESTS` when the attempts are used up: wait
   *   `retryAfter` seconds; the controller ends partial sessions then, and with that the session is gone here as well.
   *   `MFA_NOT_ENROLLED` when there is no TOTP yet: `edge.mfa.enroll()`.
   * @throws EdgeAuthQueryError `NO_SESSION` without a session.
   */
  totp(code: string, options?: CallOptions): Promise<Session>;
}

/** The answers to the query that a handler was asked. */
export interface AuthQueryAnswer extends AuthQueryAnswers {
  /** Aborts when nobody waits for the answer any more: the sign-in was aborted, its session is gone, or it is over. */
  readonly signal: AbortSignal;
}

/**
 * Answers the authentication queries of a sign-in. It is called for one outstanding query after the other. `query` is
 * what the controller sent, also for types that this SDK does not know.
 *
 * When it returns without having answered, the query stays and the sign-in resolves to the partial session once there
 * is nothing else to ask. When it throws, the sign-in rejects with what it threw; the partial session stays.
 *
 * @example
 * const onAuthQuery: OnAuthQuery = async (query, answer) => {
 *   if (query.typeId !== 'MFA') return;
 *   for (let hint = 'Code'; ; ) {
 *     try {
 *       return await answer.totp(await ask(hint, answer.signal));
 *     } catch (error) {
 *       if (!isWrongCode(error)) throw error;
 *       hint = `Wrong code. Attempts left: ${error.attemptsRemaining ?? 'unknown'}`;
 *     }
 *   }
 * };
 */
export type OnAuthQuery = (query: AuthQueryDetail, answer: AuthQueryAnswer) => unknown;
