/** Why a request failed: a response that is no success, or what was thrown instead of one. */
export interface Failure {
  readonly response?: Response;
  readonly error?: Error;
}

/** The hooks of one call, which may need several requests. */
export interface CallHooks {
  /** Runs before a request, with the failure of the one before. It completes the headers. */
  before(request: Request, failure?: Failure): Promise<void>;
  /** Runs after a response, and may read it. */
  after(response: Response): Promise<void>;
  /** Runs when the call got no response. */
  failed(error: unknown): void;
}

/** One call as the transport describes it: a request that may be sent several times. */
export interface Exchange {
  /** The URL at the controller that is asked now. */
  readonly url: () => string;
  readonly init: RequestInit;
  /** Aborts at the end of the call. */
  readonly signal: AbortSignal;
  readonly hooks: CallHooks | undefined;
  /** Sends one request. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** How often the request may be sent again. */
  readonly repeats: number;
  readonly mayRepeat: (failure: Failure) => Promise<boolean>;
  /** Milliseconds before the request is sent again. */
  readonly pause: () => number;
}

/**
 * Sends a request, again after a failure, and runs the hooks. Resolves to the last response, whatever its status is. Rejects with
 * what `fetch` or a hook has thrown, or with the reason of the signal.
 */
export type SendExchange = (exchange: Exchange) => Promise<Response>;
