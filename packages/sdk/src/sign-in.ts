import type { Authenticate, CurrentApiSessionDetail } from '@edge-controller/shared-types';
import type { AuthQueries } from './auth-queries.ts';
import type { OnAuthQuery } from './auth-query.ts';
import type { CallOptions } from './options.ts';
import type { Session } from './session.ts';
import type { SessionKeeper } from './session-keeper.ts';

type Told = Pick<Authenticate, 'configTypes' | 'envInfo' | 'sdkInfo'>;

/** What a sign-in with a password takes. */
export interface PasswordCredentials extends Told {
  readonly username: string;
  readonly password: string;
}

/** `timeout` counts for each request, not for the time that `onAuthQuery` takes; `signal` ends both. */
export interface SignInOptions extends CallOptions {
  /** Answers the authentication queries of this sign-in. Default: `onAuthQuery` of the client. */
  readonly onAuthQuery?: OnAuthQuery | undefined;
}

export interface SignIn {
  /**
   * Signs in with a username and a password. The new session replaces the one held before, which the controller
   * keeps until its timeout; sign out first to end it.
   *
   * Without `onAuthQuery`, a session with outstanding queries is resolved to as it is, `state: 'partial'`, and
   * `edge.answer` goes on. With it, the sign-in waits for the answers, and the `session` event comes when it ends. When it
   * rejects after the password was right, the partial session stays held as long as the controller keeps it: `signOut`
   * ends it.
   *
   * @throws EdgeApiError `INVALID_AUTH` when the controller refuses, whatever the reason; what answers are refused with.
   * @throws EdgeAuthQueryError `NO_SESSION` when the session ended before the queries were answered, `STILL_ASKED` when
   *   the controller accepts answers and asks again.
   * @example
   * const { state } = await edge.signIn.password({ username, password }, {
   *   onAuthQuery: async (query, answer) => {
   *     if (query.typeId === 'MFA') await answer.totp(await ask('Code', answer.signal));
   *   },
   * });
   */
  password(credentials: PasswordCredentials, options?: SignInOptions): Promise<Session>;
}

interface SignInParts {
  authenticate(
    query: { method: 'password' },
    body: Authenticate,
    options?: CallOptions,
  ): Promise<CurrentApiSessionDetail>;
  begin: SessionKeeper['begin'];
  whileSettling: SessionKeeper['whileSettling'];
  settle: AuthQueries['settle'];
  onAuthQuery: OnAuthQuery | undefined;
  sdkInfo: Authenticate['sdkInfo'];
}

export function createSignIn(parts: SignInParts): SignIn {
  async function open(detail: CurrentApiSessionDetail, { onAuthQuery, ...options }: SignInOptions): Promise<Session> {
    const handler = onAuthQuery ?? parts.onAuthQuery;
    if (handler === undefined) return parts.begin(detail);
    return parts.whileSettling(detail.token, async () => {
      const session = await parts.begin(detail);
      return session.state === 'full' ? session : parts.settle(detail.token, handler, options);
    });
  }

  return {
    password: async ({ username, password, configTypes, envInfo, sdkInfo }, options = {}) => {
      const told = { configTypes, envInfo, sdkInfo: sdkInfo ?? parts.sdkInfo };
      const body = { username, password, ...told };
      return open(await parts.authenticate({ method: 'password' }, body, options), options);
    },
  };
}
