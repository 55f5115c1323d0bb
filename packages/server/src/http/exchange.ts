import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError } from '../api-error.ts';
import { shortId } from '../lib/ids.ts';
import { errorBody } from './envelope.ts';
import { hasBody } from './read-body.ts';

/** One request and what becomes of it. Answered once: what comes later is dropped. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The path as it was sent, without the query. */
  readonly path: string;
  readonly clientAddress: string;
  /** Made on first use: most requests never need theirs. */
  requestId(): string;
  /** Headers that the request calls for, name after value. */
  readonly headers: readonly string[];
  /** Headers that the handler asks for. */
  readonly responseHeaders: Map<string, string>;
  identityId: string | undefined;
  answered: boolean;
}

const securityHeaders = [
  'Strict-Transport-Security',
  'max-age=31536000',
  'X-Content-Type-Options',
  'nosniff',
  'Cache-Control',
  'no-store',
  'Content-Security-Policy',
  "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy',
  'no-referrer',
];
/** Existing clients compare the whole value: no parameter. */
const jsonHeaders = ['Content-Type', 'application/json', ...securityHeaders];
/** Milliseconds in which a client that is still sending may read the refusal. */
const lingerLimit = 1_000;

export function createExchange(
  request: IncomingMessage,
  response: ServerResponse,
  parts: Pick<Exchange, 'path' | 'clientAddress' | 'headers'>,
): Exchange {
  let id: string | undefined;
  return {
    request,
    response,
    path: parts.path,
    clientAddress: parts.clientAddress,
    headers: parts.headers,
    requestId: () => (id ??= shortId()),
    responseHeaders: new Map(),
    identityId: undefined,
    answered: false,
  };
}

/** Sends a JSON answer, or with `contentHeaders` an answer of another type. */
export function send(exchange: Exchange, status: number, body: string, contentHeaders?: readonly string[]): void {
  if (exchange.answered) return;
  const bytes = Buffer.byteLength(body);
  const length = ['Content-Length', String(bytes)];
  writeHead(exchange, status, contentHeaders ? [...contentHeaders, ...length] : length, contentHeaders === undefined);
  // ASCII alone is written without being encoded again.
  exchange.response.end(body, bytes === body.length ? 'latin1' : 'utf8');
}

export function sendPng(exchange: Exchange, image: Uint8Array): void {
  if (exchange.answered) return;
  writeHead(exchange, 200, ['Content-Type', 'image/png', 'Content-Length', String(image.length)], false);
  exchange.response.end(image);
}

/** Marks the exchange as answered and writes the head of its answer. */
export function writeHead(exchange: Exchange, status: number, extra: readonly string[], isJson: boolean): void {
  exchange.answered = true;
  const headers = [...(isJson ? jsonHeaders : securityHeaders), ...extra, ...exchange.headers];
  for (const [name, value] of exchange.responseHeaders) headers.push(name, value);
  exchange.response.writeHead(status, headers);
}

/** Sends the error envelope. A body that is still arriving is discarded for a moment so that the answer gets through. */
export function sendError(exchange: Exchange, error: unknown): void {
  if (exchange.answered) return;
  const { request, response, responseHeaders } = exchange;
  const { status, body } = errorBody(error, exchange.requestId());
  if (error instanceof ApiError) {
    for (const [name, value] of Object.entries(error.headers)) responseHeaders.set(name, value);
    if (error.retryAfter !== undefined) responseHeaders.set('Retry-After', String(Math.ceil(error.retryAfter)));
  }
  const isArriving = (status === 413 || status === 503) && hasBody(request) && !request.complete;
  if (!isArriving) {
    send(exchange, status, body);
    return;
  }
  responseHeaders.set('Connection', 'close');
  writeHead(exchange, status, ['Content-Length', String(Buffer.byteLength(body))], true);
  response.write(body);
  const end = () => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, lingerLimit);
  request.once('end', end).once('close', end).resume();
}
