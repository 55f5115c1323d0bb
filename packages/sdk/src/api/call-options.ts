/**
 * The last argument of every call.
 *
 * @example
 * const controller = new AbortController();
 * const call = edge.client.version.get({ signal: controller.signal, timeout: 2_000 });
 * controller.abort();
 */
export interface CallOptions {
  /** Aborts the call. The call then rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for the whole call, including retries and the body. Default: `timeout` of the client. */
  readonly timeout?: number | undefined;
}
