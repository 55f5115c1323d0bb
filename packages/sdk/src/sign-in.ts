import type { Authenticate, CurrentApiSessionDetail } from '@edge-controller/shared-types';
import type { AuthQueries } from './auth-queries.ts';
import type { OnAuthQuery } from './auth-query.ts';
import type { CallOptions } from './options.ts';
import type { Session } from './session.ts';
import type { SessionKeeper } from './session-keeper.ts';

/** Information about the client, sent with a sign-in. */
export type ClientInfo = Pick<Authenticate, 'configTypes' | 'envInfo' | 'sdkInfo'>;

/** The credentials of a sign-in with a password, and information about the client. */
export interface PasswordCredentials extends ClientInfo {
  readonly username: string;
  readonly password: string;
}

/** `timeout` applies to each request, not to the time that `onAuthQuery` takes. `signal` aborts both. */
export interface SignInOptions extends CallOptions {
  /** Answers the authentication queries of this sign-in. Default: `onAuthQuery` of the client. */
  readonly onAuthQuery?: OnAuthQuery | undefined;
}

export interface SignIn {
  /**
   * Signs in with a username and a password. The new session replaces the current one. The controller keeps the old
   * session until its timeout; call `signOut` first to end it.
   *
   * Without `onAuthQuery`, the sign-in resolves to a session with `state: 'partial'` if queries are outstanding; use
   * `edge.answer` to answer them. With `onAuthQuery`, the sign-in waits for the answers and emits `session` at its end.
   * If it rejects after the password was accepted, the partial session remains; `signOut` ends it.
   *
   * @throws EdgeApiError `INVALID_AUTH` when the controller refuses the sign-in, whatever the reason; the errors of
   *   `AuthQueryAnswers` when an answer is refused.
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
  /**
   * Signs in with the client certificate of the TLS connection. In Node the transport presents it: `mtls`. A browser
   * presents a certificate that is installed in it. Otherwise it works like `password`.
   *
   * @throws EdgeApiError `INVALID_AUTH` when the controller refuses the sign-in, whatever the reason; EdgeTlsError when
   *   the handshake fails
   * @example
   * const edge = createEdgeClient(url, { fetch: mtls('sensor.json') });
   * await edge.signIn.certificate();
   */
  certificate(info?: ClientInfo, options?: SignInOptions): Promise<Session>;
}

interface SignInParts {
  authenticate(
    query: { method: 'password' | 'cert' },
    body: Authenticate,
    options?: CallOptions,
  ): Promise<CurrentApiSessionDetail>;
  begin: SessionKeeper['begin'];
  whileSigningIn: SessionKeeper['whileSigningIn'];
  answerAll: AuthQueries['answerAll'];
  onAuthQuery: OnAuthQuery | undefined;
  sdkInfo: Authenticate['sdkInfo'];
}

export function createSignIn(parts: SignInParts): SignIn {
  async function open(detail: CurrentApiSessionDetail, { onAuthQuery, ...options }: SignInOptions): Promise<Session> {
    const handler = onAuthQuery ?? parts.onAuthQuery;
    if (handler === undefined) return parts.begin(detail);
    return parts.whileSigningIn(detail.token, async () => {
      const session = await parts.begin(detail);
      return session.state === 'full' ? session : parts.answerAll(detail.token, handler, options);
    });
  }

  const clientInfo = ({ configTypes, envInfo, sdkInfo = parts.sdkInfo }: ClientInfo) => ({
    configTypes,
    envInfo,
    sdkInfo,
  });

  return {
    password: async ({ username, password, ...info }, options = {}) => {
      const body = { username, password, ...clientInfo(info) };
      return open(await parts.authenticate({ method: 'password' }, body, options), options);
    },
    certificate: async (info = {}, options = {}) => {
      return open(await parts.authenticate({ method: 'cert' }, clientInfo(info), options), options);
    },
  };
}
