import http from 'node:http';
import https from 'node:https';
import { Readable } from 'node:stream';
import type { ReadableStream as NodeStream } from 'node:stream/web';
import type { Fetch } from '../options.ts';
import type { Outgoing } from './exchange.ts';
import { exchange } from './exchange.ts';

interface NodeFetchOptions {
  /** PEM certificates of the authorities to trust, in place of those of the platform. */
  readonly ca?: string | readonly string[] | undefined;
}

const mostRedirects = 20;
const personal = ['authorization', 'cookie', 'proxy-authorization'];

/**
 * A `fetch` over `node:https` that trusts a private authority, with one pool of connections that are kept alive.
 * Bodies stream both ways; answers are not asked for in compressed form. Without proxies and cookies.
 */
export function nodeFetch({ ca }: NodeFetchOptions = {}): Fetch {
  const authorities = ca === undefined ? {} : { ca: typeof ca === 'string' ? ca : [...ca] };
  const agents = {
    'https:': new https.Agent({ keepAlive: true, ...authorities }),
    'http:': new http.Agent({ keepAlive: true }),
  };

  return async (input, init) => {
    const request = new Request(input, init);
    const { signal } = request;
    const streams = init?.body instanceof ReadableStream;
    const body = streams ? streamOf(request) : await bytesOf(request);
    let outgoing: Outgoing = {
      method: request.method,
      url: new URL(request.url),
      headers: headersOf(request),
      body,
      signal,
    };
    for (let hops = 0; ; hops += 1) {
      const answer = await exchange(outgoing, agentFor(outgoing.url, agents));
      const next = redirectOf(outgoing, answer, request.redirect);
      if (next === null) return responseOf(outgoing, answer, hops > 0);
      answer.resume();
      if (hops === mostRedirects) throw new TypeError('fetch failed', { cause: new Error('too many redirects') });
      outgoing = next;
    }
  };
}

function agentFor(url: URL, agents: Record<'https:' | 'http:', http.Agent>): http.Agent {
  if (url.protocol === 'https:' || url.protocol === 'http:') return agents[url.protocol];
  throw new TypeError('fetch failed', { cause: new Error(`unknown scheme ${url.protocol}`) });
}

function headersOf(request: Request): Record<string, string> {
  return { accept: '*/*', 'accept-encoding': 'identity', ...Object.fromEntries(request.headers) };
}

async function bytesOf(request: Request): Promise<Buffer | null> {
  return request.body === null ? null : Buffer.from(await request.arrayBuffer());
}

function streamOf(request: Request): Readable | null {
  return request.body === null ? null : Readable.fromWeb(request.body as NodeStream);
}

function redirectOf(from: Outgoing, answer: http.IncomingMessage, mode: Request['redirect']): Outgoing | null {
  const { statusCode = 0 } = answer;
  const { location } = answer.headers;
  if (![301, 302, 303, 307, 308].includes(statusCode) || location === undefined || mode === 'manual') return null;
  const refused = mode === 'error' || (from.body instanceof Readable && statusCode !== 303);
  if (refused) {
    answer.destroy();
    throw new TypeError('fetch failed', { cause: new Error('unexpected redirect') });
  }
  const url = new URL(location, from.url);
  const toGet = (statusCode === 303 && from.method !== 'HEAD') || (statusCode < 303 && from.method === 'POST');
  const dropped = [
    ...(url.origin === from.url.origin ? [] : personal),
    ...(toGet ? ['content-type', 'content-length'] : []),
  ];
  const headers = Object.fromEntries(Object.entries(from.headers).filter(([name]) => !dropped.includes(name)));
  return { ...from, url, headers, ...(toGet ? { method: 'GET', body: null } : {}) };
}

function responseOf({ url, method }: Outgoing, answer: http.IncomingMessage, redirected: boolean): Response {
  const status = answer.statusCode ?? 0;
  const headers = new Headers();
  for (let at = 0; at < answer.rawHeaders.length; at += 2) {
    headers.append(answer.rawHeaders[at] ?? '', answer.rawHeaders[at + 1] ?? '');
  }
  const bodyless = method === 'HEAD' || [204, 205, 304].includes(status);
  if (bodyless) answer.resume();
  const body = bodyless ? null : (Readable.toWeb(answer) as ReadableStream<Uint8Array>);
  const response = new Response(body, { status, statusText: answer.statusMessage ?? '', headers });
  return Object.defineProperties(response, { url: { value: url.href }, redirected: { value: redirected } });
}
