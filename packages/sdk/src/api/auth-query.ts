import type { CallOptions } from './call-options.ts';
import type { AuthQueryDetail } from './generated/entities.ts';
import type { GetToken } from './get-token.ts';
import type { Session } from './session.ts';

/**
 * What answers the `NEW-PASSWORD` query.
 *
 * @example
 * const change: NewPassword = { currentPassword: password, password: await ask('New password') };
 */
export interface NewPassword {
  /** The password of the sign-in. */
  readonly currentPassword: string;
  /** The new one: another one, as the auth policy asks. */
  readonly password: string;
}

/**
 * The ways to answer an authentication query.
 *
 * @example
 * const session = await edge.signIn.password({ username, password });
 * if (session.state === 'partial') await edge.answer.totp(code);
 */
export interface AuthQueryAnswers {
  /**
   * Answers the MFA query with a TOTP code or a recovery code. Each code can be used once. White space is removed and
   * letters become upper case before the code is sent. Resolves to the updated session: `full`, or `partial` while
   * other queries are outstanding.
   *
   * @throws EdgeApiError `MFA_INVALID_TOKEN` for a wrong code (`isWrongCode(error)`): the session stays, and
   *   `attemptsRemaining` says how many more codes may be tried. `SERVER_TOO_MANY_REQUESTS` when no attempts are left:
   *   wait `retryAfter` seconds. The controller then removes a partial session, and the client drops it too.
   *   `MFA_NOT_ENROLLED` when the identity has no TOTP: call `edge.mfa.enroll()`.
   * @throws EdgeAuthQueryError `NO_SESSION` without a session.
   */
  totp(code: string, options?: CallOptions): Promise<Session>;
  /**
   * Answers the `EXT-JWT` query with a JWT of its signer. The client then sends the JWT with every request of this
   * session. Give a function instead of a text to be asked again when the JWT has expired: a session with an expired JWT
   * is partial. Resolves to the updated session like `totp`.
   *
   * @throws EdgeTokenError `REFUSED` when the controller still asks for a JWT, `NO_TOKEN`, `NOT_A_JWT`; the JWT is then
   *   no longer sent. EdgeAuthQueryError `NO_SESSION` without a session; the errors of `getToken`.
   */
  extJwt(token: string | GetToken, options?: CallOptions): Promise<Session>;
  /**
   * Answers the `NEW-PASSWORD` query: changes the password, because somebody else has set it. The other sessions that it has
   * opened end. Resolves to the updated session like `totp`. It comes last, after the other queries.
   *
   * @throws EdgeApiError `UNAUTHORIZED` when `currentPassword` is wrong, `COULD_NOT_VALIDATE` when the new one is refused:
   *   `cause` has the field and the reason. EdgeAuthQueryError `NO_SESSION` without a session, `NOT_ASKED` when nobody asks
   *   for a new password.
   */
  newPassword(change: NewPassword, options?: CallOptions): Promise<Session>;
}

/** The ways to answer the query that a handler received. */
export interface AuthQueryAnswer extends AuthQueryAnswers {
  /**
   * Aborts when the answer is no longer needed: the sign-in was aborted, its session ended, or the sign-in is complete.
   */
  readonly signal: AbortSignal;
}

/**
 * Answers the authentication queries of a sign-in. The SDK calls it once for each outstanding query, one after the
 * other. `query` is what the controller sent, also when the SDK does not know its type.
 *
 * When the handler returns without an answer, the query stays outstanding, and the sign-in resolves to the partial
 * session after the handler was called for all queries. When the handler throws, the sign-in rejects with the same
 * error; the partial session stays.
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
