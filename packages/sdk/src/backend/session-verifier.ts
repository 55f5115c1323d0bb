import type { PartialVerifiedSession, VerifiedSession } from './verified-session.ts';

/**
 * Options of `verifySession`.
 *
 * @example
 * const options: VerifyOptions = { signal: AbortSignal.timeout(1_000) };
 * const session = await verifier.verifySession(token, options);
 */
export interface VerifyOptions {
  /** Whether a partial session is given. Its user has not proved the second factor. Default false: it is `null`. */
  readonly allowPartial?: boolean | undefined;
  /** Ends the wait. The verification then rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /** The JWT that the auth policy of the identity demands with every request. It is sent to the controller only. */
  readonly secondaryToken?: string | null | undefined;
}

/**
 * Which requests `verifyRequest` and the middlewares let pass.
 *
 * @example
 * const options: EdgeSessionOptions = { optional: true, onError: (error, requestId) => console.error(requestId, error) };
 * app.use(expressSession(verifier, options));
 */
export interface EdgeSessionOptions {
  /** Whether a request without a token passes, with `null` as its session. Default false. */
  readonly optional?: boolean | undefined;
  /** Whether a partial session passes. Its user has not proved the second factor. Default false. */
  readonly allowPartial?: boolean | undefined;
  /**
   * Whether a JWT in `Authorization: Bearer` is sent to the controller as the second factor. Turn it on only if no other
   * part of the application uses this header. Default false.
   */
  readonly secondaryToken?: boolean | undefined;
  /** Runs when the controller could not be asked. The response is 503 and has the same request id. Default: nothing. */
  readonly onError?: ((error: Error, requestId: string) => void) | undefined;
}

/** What `verifyRequest` reads of a request: that of the Fetch API, of Node or of a framework. */
export interface RequestWithHeaders {
  readonly headers:
    | { get(name: string): string | null }
    | { readonly [name: string]: string | readonly string[] | undefined };
}

/** The session of a request that passes, by the options `allowPartial` and `optional`. */
export type RequestSession<AllowPartial extends boolean, Optional extends boolean> =
  | VerifiedSession
  | (AllowPartial extends true ? PartialVerifiedSession : never)
  | (Optional extends true ? null : never);

/** Whose request it is, or the response that refuses it. */
export type VerifiedRequest<Session = VerifiedSession> =
  | {
      readonly session: Session;
      /**
       * What the response of the application needs: `vary`, and `svc-session-expires-in` with its
       * `access-control-expose-headers`, which tell `edge.fetch` when the session ends. Names are in lower case.
       */
      readonly headers: Readonly<Record<string, string>>;
      readonly response?: never;
    }
  | {
      /** 401 or 503, with the error envelope of the API. */
      readonly response: Response;
      readonly session?: never;
      readonly headers?: never;
    };

/** Verifies tokens of API sessions. Use one verifier for all requests. */
export interface SessionVerifier {
  /**
   * Says whose API session a token belongs to.
   *
   * @returns the session; `null` when there is no token, when the controller says that it is not valid, or when its session is
   *   partial
   * @throws EdgeNetworkError, EdgeTimeoutError, EdgeApiError or EdgeInvalidResponseError when the controller cannot tell.
   *   This does not mean that the token is invalid.
   * @example const session = await verifier.verifySession(request.headers.get('svc-session'));
   */
  verifySession(
    token: string | null | undefined,
    options?: VerifyOptions & { readonly allowPartial?: false | undefined },
  ): Promise<VerifiedSession | null>;
  /**
   * With `allowPartial`, also a partial session.
   *
   * @example
   * const session = await verifier.verifySession(token, { allowPartial: true });
   * if (session?.state === 'partial') console.log(session.authQueries);
   */
  verifySession(
    token: string | null | undefined,
    options: VerifyOptions,
  ): Promise<VerifiedSession | PartialVerifiedSession | null>;
  /**
   * Finds the session of a request, or makes the response that refuses it: 401 without a token of a full session, and 503 when the
   * controller cannot be asked.
   *
   * @throws what is no failure of the controller, such as a CA file that cannot be read
   * @example
   * async function hello(request: Request) {
   *   const { session, headers, response } = await verifier.verifyRequest(request);
   *   return response ?? new Response(`Hello ${session.identity.name}`, { headers });
   * }
   */
  verifyRequest<AllowPartial extends boolean = false, Optional extends boolean = false>(
    request: RequestWithHeaders,
    options?: EdgeSessionOptions & {
      readonly allowPartial?: AllowPartial | undefined;
      readonly optional?: Optional | undefined;
    },
  ): Promise<VerifiedRequest<RequestSession<AllowPartial, Optional>>>;
  /** Name of the header with the token, in lower case. */
  readonly sessionHeader: string;
}
