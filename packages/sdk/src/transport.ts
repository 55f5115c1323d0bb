import ky, { isHTTPError, isNetworkError } from 'ky';
import type { Fetch } from './options.ts';
import { isCertificateRefused, networkError } from './tls-error.ts';

/** The longest `Retry-After` that the client waits for, in seconds. */
const maxRetryAfter = 10;

export interface TransportRequest {
  readonly method: string;
  readonly url: string;
  /** The URL without its query, for error messages. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The value of the `Accept` header. */
  readonly accept: string;
  /** A text is sent as `text/plain`, other values as JSON. */
  readonly body: unknown;
  readonly signal: AbortSignal;
  /** Never retried, because the code in it is accepted once. */
  readonly once: boolean;
}

/** A response with any status. `body` is a `Blob` for an image, the parsed JSON (`undefined` when it is
 * none), otherwise the text. */
export interface TransportResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

export type Transport = (request: TransportRequest) => Promise<TransportResponse>;

interface TransportOptions {
  readonly fetch: Fetch;
  readonly retries: number;
}

/** Sends requests with ky. Throws `EdgeNetworkError`, `EdgeTlsError` or the reason of the signal. */
export function createTransport({ fetch, retries }: TransportOptions): Transport {
  const http = ky.create({
    fetch,
    timeout: false,
    // A redirect could send the token to another server.
    redirect: 'manual',
    retry: {
      limit: retries,
      methods: ['get', 'head', 'put'],
      statusCodes: [429, 503],
      afterStatusCodes: [429, 503],
      backoffLimit: 3000,
      jitter: true,
      shouldRetry: ({ error }) => (isFinal(error) ? false : undefined),
    },
  });
  return async (request) => {
    try {
      const response = await http(request.url, kyOptions(request));
      return { status: response.status, headers: response.headers, body: await bodyOf(response) };
    } catch (error) {
      request.signal.throwIfAborted();
      if (isHTTPError(error)) {
        const { status, headers } = error.response;
        return { status, headers, body: typeof error.data === 'string' ? parsed(error.data) : error.data };
      }
      // An error of ky contains the request with its headers. Only the error of the platform is passed on.
      const cause = isNetworkError(error) ? error.cause : error;
      throw networkError(request.target, cause);
    }
  };
}

function isFinal(error: unknown): boolean {
  if (isHTTPError(error)) return (retryAfter(error.response.headers) ?? 0) > maxRetryAfter;
  return isNetworkError(error) && isCertificateRefused(error.cause);
}

function kyOptions({ method, headers, accept, body, signal, once }: TransportRequest) {
  const common = { method, signal, ...(once && { retry: 0 }) };
  if (typeof body === 'string')
    return { ...common, headers: { ...headers, accept, 'content-type': 'text/plain' }, body };
  return { ...common, headers: { ...headers, accept }, ...(body !== undefined && { json: body }) };
}

async function bodyOf(response: Response): Promise<unknown> {
  const type = response.headers.get('content-type') ?? '';
  if (/^image\//i.test(type)) return response.blob();
  const text = await response.text();
  return /^application\/json\b/i.test(type) ? parsed(text) : text;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The seconds in `Retry-After`, which may also be a date. `null` without the header. */
export function retryAfter(headers: Headers, now: number = Date.parse(headers.get('date') ?? '')): number | null {
  const text = headers.get('retry-after');
  if (text === null) return null;
  const seconds = /^\d+$/.test(text.trim()) ? Number(text) : Math.ceil((Date.parse(text) - now) / 1000);
  return Number.isFinite(seconds) ? Math.max(0, seconds) : null;
}
