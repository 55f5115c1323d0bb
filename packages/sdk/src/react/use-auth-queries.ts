import { useMemo, useState } from 'react';
import type { NewPassword } from '../api/auth-query.ts';
import type { CallOptions } from '../api/call-options.ts';
import type { GetToken } from '../api/get-token.ts';
import type { FullSession, Session } from '../api/session.ts';
import type { EdgeClient } from '../client/edge-client.ts';
import { useEdge } from './use-edge.ts';
import { useSession } from './use-session.ts';

/**
 * The functions of `edge.answer` for event handlers. They never reject: `error` of `useAuthQueries` has the error.
 *
 * @example
 * const { answer } = useAuthQueries();
 * const answerWithJwt = () => answer.extJwt(getToken);
 */
export interface AnswerActions {
  /** Answers the MFA query with a TOTP code or a recovery code. */
  totp(code: string, options?: CallOptions): Promise<void>;
  /** Answers the `EXT-JWT` query with a JWT of its signer, or with a function that returns one. */
  extJwt(token: string | GetToken, options?: CallOptions): Promise<void>;
  /** Answers the `NEW-PASSWORD` query: changes the password, because somebody else has set it. */
  newPassword(change: NewPassword, options?: CallOptions): Promise<void>;
}

/** What `useAuthQueries` returns. */
export interface AuthQueriesSnapshot {
  /** What the controller asks. Empty without a session and when the session is full. */
  readonly queries: Session['authQueries'];
  /** Always the same functions. */
  readonly answer: AnswerActions;
  /** Whether an answer of this component is under way. */
  readonly isPending: boolean;
  /**
   * Why the last answer of this component failed, or `null`. The next answer, the next session and a sign-out clear it.
   * It stays when the session ends because no attempts are left.
   */
  readonly error: unknown;
}

interface Progress {
  readonly pending: number;
  readonly failure: { readonly error: unknown; readonly sessionId: string | undefined } | null;
}

const nothing: FullSession['authQueries'] = Object.freeze([] as const);

/**
 * Returns the authentication queries of the session, with functions to answer them. It does not suspend. On a server there
 * are no queries.
 *
 * @throws Error when there is no `EdgeProvider` above the component.
 * @example
 * function SecondFactor() {
 *   const { queries, answer, isPending, error } = useAuthQueries();
 *   if (!queries.some(({ typeId }) => typeId === 'MFA')) return null;
 *   return (
 *     <form action={(form) => answer.totp(String(form.get('code')))}>
 *       <input name="code" autoComplete="one-time-code" required />
 *       <button disabled={isPending}>Continue</button>
 *       {isWrongCode(error) && <p role="alert">Wrong code. Attempts left: {error.attemptsRemaining}</p>}
 *     </form>
 *   );
 * }
 */
export function useAuthQueries(): AuthQueriesSnapshot {
  const edge = useEdge();
  const { state, session } = useSession();
  const [{ pending, failure }, setProgress] = useState<Progress>({ pending: 0, failure: null });
  const answer = useMemo(() => answersOf(edge, setProgress), [edge]);
  const isCurrent = session?.id === failure?.sessionId || (session === null && state === 'expired');
  return {
    queries: session?.authQueries ?? nothing,
    answer,
    isPending: pending > 0,
    error: failure !== null && isCurrent ? failure.error : null,
  };
}

function answersOf(edge: EdgeClient, setProgress: (change: (progress: Progress) => Progress) => void): AnswerActions {
  async function track(send: () => Promise<Session>): Promise<void> {
    const sessionId = edge.session?.id;
    setProgress(({ pending }) => ({ pending: pending + 1, failure: null }));
    const failure = await send().then(
      () => null,
      (error: unknown) => ({ error, sessionId }),
    );
    setProgress(({ pending }) => ({ pending: pending - 1, failure }));
  }

  return {
    totp: (code, options) => track(() => edge.answer.totp(code, options)),
    extJwt: (token, options) => track(() => edge.answer.extJwt(token, options)),
    newPassword: (change, options) => track(() => edge.answer.newPassword(change, options)),
  };
}
