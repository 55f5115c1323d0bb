import type { OnAuthQuery } from './auth-query.ts';
import type { CallOptions } from './call-options.ts';
import type { Authenticate } from './generated/entities.ts';
import type { GetToken } from './get-token.ts';
import type { Session } from './session.ts';

/** Information about the client, sent with a sign-in. */
export type ClientInfo = Pick<Authenticate, 'configTypes' | 'envInfo' | 'sdkInfo'>;

/** The credentials of a sign-in with a password, and information about the client. */
export interface PasswordCredentials extends ClientInfo {
  readonly username: string;
  readonly password: string;
}

/**
 * A JWT of an external signer, or a function that returns one; and information about the client. White space around the JWT is
 * removed: that of a file may end in a line feed.
 */
export type JwtCredentials = ClientInfo & ({ readonly token: string } | { readonly getToken: GetToken });

/**
 * `timeout` applies to each request, not to the time that `onAuthQuery` takes. `signal` aborts both.
 *
 * @example
 * const options: SignInOptions = {
 *   onAuthQuery: async (query, answer) => query.typeId === 'MFA' && answer.totp(await ask('Code')),
 * };
 * await edge.signIn.password({ username, password }, options);
 */
export interface SignInOptions extends CallOptions {
  /** Answers the authentication queries of this sign-in. Default: `onAuthQuery` of the client. */
  readonly onAuthQuery?: OnAuthQuery | undefined;
}

/** The ways to sign in: `edge.signIn`. */
export interface SignIn {
  /**
   * Signs in with a username and a password. The new session replaces the current one. The controller keeps the old
   * session until its timeout; call `signOut` first to end it.
   *
   * Without `onAuthQuery`, the sign-in resolves to a session with `state: 'partial'` if queries are outstanding; use
   * `edge.answer` to answer them. With `onAuthQuery`, the sign-in waits for the answers and emits `session` at its end.
   * If it rejects after the password was accepted, the partial session remains; `signOut` ends it. The session also remains
   * when the `storage` cannot keep the token: the sign-in then rejects with the error of the storage.
   *
   * @throws EdgeApiError when the controller refuses the sign-in: `isWrongCredentials(error)`. Its code is `INVALID_AUTH`, or
   *   `COULD_NOT_VALIDATE` for a user name below 4 or a password below 5 characters. The errors of `AuthQueryAnswers` when an
   *   answer is refused.
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
   * @throws EdgeApiError `INVALID_AUTH` when the controller refuses the certificate, whatever the reason
   *   (`isWrongCredentials(error)`); EdgeTlsError when the handshake fails
   * @example
   * const edge = createEdgeClient(url, { fetch: mtls('sensor.json') });
   * await edge.signIn.certificate();
   */
  certificate(info?: ClientInfo, options?: SignInOptions): Promise<Session>;
  /**
   * Signs in with a JWT of an external signer. `getToken` is asked at each call of this function, so also whenever
   * `reauthenticate` calls it. When the controller refuses the JWT as expired or invalid, `getToken` is asked once more.
   * Otherwise it works like `password`. The client does not keep the JWT.
   *
   * @throws EdgeApiError `UNAUTHORIZED` when the controller refuses the JWT (`isWrongCredentials(error)`); `challenge` has the
   *   reason and the signers that it accepts. EdgeTokenError `NO_TOKEN`, `NOT_A_JWT`; the errors of `getToken`.
   * @example
   * const getToken = async ({ signal }: TokenRequest) => (await fetch('/my-jwt', { signal })).text();
   * const edge = createEdgeClient(url, { reauthenticate: () => edge.signIn.extJwt({ getToken }) });
   * await edge.signIn.extJwt({ getToken });
   */
  extJwt(credentials: JwtCredentials, options?: SignInOptions): Promise<Session>;
}
