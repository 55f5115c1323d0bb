import http from 'node:http';
import type https from 'node:https';
import { Readable } from 'node:stream';
import type { ReadableStream as NodeStream } from 'node:stream/web';
import type { Fetch } from '../api/fetch.ts';
import { createHttpsAgent } from './https-agent.ts';
import type { OutgoingRequest } from './send-request.ts';
import { closeFree, sendRequest } from './send-request.ts';

/**
 * Options of `nodeFetch`.
 *
 * @example
 * const options: NodeFetchOptions = { ca: await readFile('ca.pem', 'utf8'), maxConnections: 8 };
 * const edge = createEdgeClient(url, { fetch: nodeFetch(options) });
 */
export interface NodeFetchOptions extends ConnectionOptions {
  /** PEM certificates of the CAs to trust, instead of those of the platform. */
  readonly ca?: string | readonly string[] | undefined;
}

/**
 * How many connections are used: options of `mtls`, `nodeFetch` and `createEdgeClient`.
 *
 * @example
 * const options: ConnectionOptions = { maxConnections: 8 };
 * const edge = createEdgeClient(url, { fetch: mtls('sensor.json', options) });
 */
export interface ConnectionOptions {
  /**
   * How many connections to one controller are open at the same time. More requests wait for a free one. A response that
   * streams, such as server-sent events, occupies a connection. Default 32.
   */
  readonly maxConnections?: number | undefined;
}

/**
 * A `fetch` that keeps its connections open.
 *
 * @example
 * const fetch: NodeFetch = nodeFetch({ maxConnections: 8 });
 * await fetch('https://localhost:1280/edge/client/v1/version');
 * fetch.close();
 */
export interface NodeFetch extends Fetch {
  /** Closes the connections that nobody uses now. Later requests open new ones. */
  close(): void;
}

/** The agents that keep the connections. */
export interface Agents {
  readonly 'https:': https.Agent;
  readonly 'http:': http.Agent;
}

const defaultMaxConnections = 32;
/** Milliseconds that a connection without a request is kept. Without a value, Node ignores the `Keep-Alive` header of the server. */
const idleTimeout = 60_000;
const maxRedirects = 20;
const credentialHeaders = ['authorization', 'cookie', 'proxy-authorization'];

/**
 * Creates a `fetch` over `node:https` that can trust a private CA and keeps its connections alive: for one minute, or a
 * second less than the server says in `Keep-Alive`, so that no request meets its close. It streams request
 * and response bodies and asks for uncompressed responses. It sends each request once, also when the server has closed the
 * connection meanwhile. `https:` requests use the proxy of `HTTPS_PROXY` if Node itself
 * uses it (`NODE_USE_ENV_PROXY=1`, `--use-env-proxy`, `http.setGlobalProxyFromEnv`). It does not support cookies.
 *
 * @example
 * const fetch = nodeFetch({ ca: await readFile('ca.pem', 'utf8') });
 * const response = await fetch('https://localhost:1280/edge/client/v1/version');
 */
export function nodeFetch({ ca, maxConnections }: NodeFetchOptions = {}): NodeFetch {
  const authorities = ca === undefined ? {} : { ca: typeof ca === 'string' ? ca : [...ca] };
  const agents = createAgents(authorities, { maxConnections });
  return fetchWith(() => agents);
}

/**
 * Agents with a limit. Without one, a thousand calls at once would open a thousand connections.
 *
 * @throws TypeError when `maxConnections` is not a positive integer.
 */
export function createAgents(
  tls: https.AgentOptions,
  { maxConnections = defaultMaxConnections }: ConnectionOptions,
): Agents {
  if (!Number.isInteger(maxConnections) || maxConnections < 1) {
    throw new TypeError(`maxConnections must be a positive integer, got ${maxConnections}`);
  }
  const common = { keepAlive: true, maxSockets: maxConnections, timeout: idleTimeout };
  return { 'https:': createHttpsAgent({ ...common, ...tls }), 'http:': new http.Agent(common) };
}

/** Requests that are under way keep their connections. */
export function closeIdle(agents: Partial<Agents>): void {
  for (const agent of Object.values<http.Agent>({ ...agents })) closeFree(agent);
}

/** The `fetch` of `nodeFetch`. Each request uses the agents that `currentAgents` returns when it begins. */
export function fetchWith(currentAgents: () => Partial<Agents>): NodeFetch {
  return Object.assign(send, { close: () => closeIdle(currentAgents()) });

  async function send(input: string | URL | Request, init?: RequestInit): Promise<Response> {
    const agents = currentAgents();
    const request = new Request(input, init);
    const { signal } = request;
    const streams = init?.body instanceof ReadableStream;
    const body = streams ? streamOf(request) : await bytesOf(request);
    let outgoing: OutgoingRequest = {
      sources: [input, request],
      method: request.method,
      url: new URL(request.url),
      headers: headersOf(request),
      body,
      signal,
    };
    for (let redirects = 0; ; redirects += 1) {
      const response = await sendRequest(outgoing, agentFor(outgoing.url, agents));
      const next = redirectOf(outgoing, response, request.redirect);
      if (next === null) return toFetchResponse(outgoing, response, redirects > 0);
      response.resume();
      if (redirects === maxRedirects) throw new TypeError('fetch failed', { cause: new Error('too many redirects') });
      outgoing = next;
    }
  }
}

function agentFor(url: URL, agents: Partial<Agents>): http.Agent {
  const agent = url.protocol === 'https:' || url.protocol === 'http:' ? agents[url.protocol] : undefined;
  if (agent) return agent;
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

function redirectOf(
  from: OutgoingRequest,
  response: http.IncomingMessage,
  mode: Request['redirect'],
): OutgoingRequest | null {
  const { statusCode = 0 } = response;
  const { location } = response.headers;
  if (![301, 302, 303, 307, 308].includes(statusCode) || location === undefined || mode === 'manual') return null;
  const refused = mode === 'error' || (from.body instanceof Readable && statusCode !== 303);
  if (refused) {
    response.destroy();
    throw new TypeError('fetch failed', { cause: new Error('unexpected redirect') });
  }
  const url = new URL(location, from.url);
  const toGet = (statusCode === 303 && from.method !== 'HEAD') || (statusCode < 303 && from.method === 'POST');
  const dropped = [
    ...(url.origin === from.url.origin ? [] : credentialHeaders),
    ...(toGet ? ['content-type', 'content-length'] : []),
  ];
  const headers = Object.fromEntries(Object.entries(from.headers).filter(([name]) => !dropped.includes(name)));
  return { ...from, url, headers, ...(toGet ? { method: 'GET', body: null } : {}) };
}

function toFetchResponse(
  { url, method }: OutgoingRequest,
  incoming: http.IncomingMessage,
  redirected: boolean,
): Response {
  const status = incoming.statusCode ?? 0;
  const headers = new Headers();
  for (let at = 0; at < incoming.rawHeaders.length; at += 2) {
    headers.append(incoming.rawHeaders[at] ?? '', incoming.rawHeaders[at + 1] ?? '');
  }
  const hasNoBody = method === 'HEAD' || [204, 205, 304].includes(status);
  if (hasNoBody) incoming.resume();
  const body = hasNoBody ? null : (Readable.toWeb(incoming) as ReadableStream<Uint8Array>);
  const response = new Response(body, { status, statusText: incoming.statusMessage ?? '', headers });
  return Object.defineProperties(response, { url: { value: url.href }, redirected: { value: redirected } });
}
