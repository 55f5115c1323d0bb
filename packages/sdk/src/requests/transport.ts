import { sendExchange } from '#send-exchange';
import { networkError } from '#tls-error';
import type { Fetch } from '../api/fetch.ts';
import { lastStatuses, withDeadline } from '../errors/deadline.ts';
import { EdgeTimeoutError } from '../errors/errors.ts';
import { systemClock } from '../lib/clock.ts';
import type { Api, ControllerUrl } from './controller-url.ts';
import type { createHooks, HookOptions } from './hooks.ts';
import { createRetryRules } from './retry-rules.ts';

export interface TransportRequest {
  readonly method: string;
  readonly api: Api;
  /** Path below the root of the API, with the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The headers with the token and JWTs. Hooks do not see them. */
  readonly credentials: Readonly<Record<string, string>>;
  /** The value of the `Accept` header. */
  readonly accept: string;
  /** A text is sent as `text/plain`, other values as JSON. */
  readonly body: unknown;
  readonly signal: AbortSignal;
  /** Milliseconds of the whole call. */
  readonly timeout: number;
  /** May be sent again although a controller may have executed it: reads and sign-ins. */
  readonly isRepeatable: boolean;
}

/** A response with any status. `body` is a `Blob` for an image, the parsed JSON (`undefined` when it is
 * none), otherwise the text. */
export interface TransportResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
  /** The URL of the request without its query, for error messages. */
  readonly target: string;
}

interface TransportOptions {
  readonly controllers: readonly ControllerUrl[];
  readonly fetch: Fetch;
  /** How often a request is sent again after all controllers have failed. */
  readonly retries: number;
  readonly hooks: HookOptions;
  /** Loads what requests with hooks need. */
  readonly loadRest: () => Promise<RequestCode>;
}

export interface RequestCode {
  readonly createHooks: typeof createHooks;
}

/**
 * Sends requests to the controller that worked last. After a lost connection, a time-out or a 5xx it asks the others, if the
 * request may be sent again. After that it waits and starts again.
 */
export class Transport {
  readonly #options: TransportOptions;
  #preferred = 0;

  constructor(options: TransportOptions) {
    this.#options = options;
  }

  /** The URL at the controller that is asked first, without the query, for error messages. */
  target(api: Api, path: string): string {
    return withoutQuery(this.#url(this.#preferred, api, path));
  }

  /** Throws `EdgeNetworkError`, `EdgeTlsError`, the error of a hook or the reason of the signal. */
  async send(request: TransportRequest): Promise<TransportResponse> {
    const { api, path, headers, signal, timeout } = request;
    const { controllers, retries, hooks, loadRest } = this.#options;
    const count = controllers.length;
    // Each TOTP code is accepted once, and a wrong one counts, so the request is not sent again after a response.
    const isOnce = 'mfa-validation-code' in headers || 'code' in Object(request.body);
    const isRepeatable = request.isRepeatable && !isOnce;
    const endsAt = systemClock() + timeout;
    let at = this.#preferred;
    const url = () => this.#url(at, api, path);
    const next = (isAsked: boolean) => {
      const other = (at + 1) % count;
      if (this.#preferred === at) this.#preferred = other;
      if (isAsked) at = other;
    };
    // A controller that does not respond leaves time for the others.
    const share = isRepeatable && count > 1 ? timeout / count : Number.POSITIVE_INFINITY;
    const fetchOnce = (sent: Request) => this.#fetchOnce(sent, request, share, endsAt);
    const rules = createRetryRules({ count, retries, isOnce, isRepeatable, endsAt, next });
    const callHooks = hasHooks(hooks) ? (await loadRest()).createHooks(hooks)() : undefined;
    let body: unknown;
    try {
      const response = await sendExchange({
        ...{ url, init: initOf(request), signal, hooks: callHooks, pause: rules.pause },
        repeats: count * (retries + 1) - 1,
        mayRepeat: async (failure) => !signal.aborted && rules.mayRepeat(failure, body),
        async fetch(sent) {
          const got = await fetchOnce(sent);
          body = got.body;
          return got.response;
        },
      });
      const { status } = response;
      if (status < 500) this.#preferred = at;
      return { status, headers: response.headers, body, target: withoutQuery(url()) };
    } catch (error) {
      callHooks?.failed(error);
      throw error;
    }
  }

  #url(at: number, api: Api, path: string): string {
    return (this.#options.controllers[at]?.apis[api] ?? '') + path;
  }

  /** `share`: the milliseconds that one controller has. */
  async #fetchOnce(sent: Request, { credentials, signal, timeout }: TransportRequest, share: number, endsAt: number) {
    const { fetch } = this.#options;
    const target = withoutQuery(sent.url);
    // Added here, so that the requests that hooks and errors have do not contain them.
    const headers = { ...Object.fromEntries(sent.headers), ...credentials };
    try {
      return await withDeadline({ signal, timeout: share, target }, async (inTime) => {
        const response = await fetch(new Request(sent, { headers, signal: inTime }));
        // A request may be sent again when this function rejects, but not when the body is lost later. Hooks may read it, too.
        const body = await contentOf(response.clone());
        lastStatuses.set(signal, response.status);
        return { response, body };
      });
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof EdgeTimeoutError)) throw networkError(target, error);
      // The last controller may have had all the time that was left. Timers are not exact.
      const isOver = endsAt - systemClock() < timeout / 10;
      throw new EdgeTimeoutError(target, isOver ? timeout : share, lastStatuses.get(signal));
    }
  }
}

function initOf({ method, headers, accept, body }: TransportRequest): RequestInit {
  const type = typeof body === 'string' ? 'text/plain' : 'application/json';
  return {
    method,
    headers: { ...headers, accept, ...(body !== undefined && { 'content-type': type }) },
    body: typeof body === 'string' ? body : (JSON.stringify(body) ?? null),
    // A redirect could send the token to another server.
    redirect: 'manual',
  };
}

function withoutQuery(url: string): string {
  return url.split('?', 1)[0] ?? url;
}

function hasHooks({ headers, onRequest, onResponse, logger, traceparent }: HookOptions): boolean {
  return Boolean(headers || onRequest || onResponse || logger || traceparent);
}

/** Rejects when the connection is lost before the end of the body. */
async function contentOf(response: Response): Promise<unknown> {
  const type = response.headers.get('content-type') ?? '';
  if (/^image\//i.test(type)) return response.blob();
  const text = await response.text();
  if (!/^application\/(.+\+)?json\b/i.test(type)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
