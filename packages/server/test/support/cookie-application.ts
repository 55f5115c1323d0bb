import { once } from 'node:events';
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { createServer, request as sendRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { CookieSessions, CookieSessionsOptions } from '@edge-controller/sdk/backend';
import {
  createCookieSessions,
  isEdgeAuthQueryError,
  isEdgeCrossSiteError,
  isEdgeNetworkError,
  isWrongCode,
  isWrongCredentials,
} from '@edge-controller/sdk/backend';

export const origin = 'https://app.example';
export const secret = 'a secret of the application that nobody can guess';

interface Target {
  readonly url: string;
  readonly caFile?: string;
}

/** An application whose server renders pages, behind a proxy that ends TLS for `https://app.example`. */
export async function cookieApplication(target: Target, options: Partial<CookieSessionsOptions> = {}) {
  const controller = { controller: target.url, caFile: target.caFile };
  const sessions = createCookieSessions({ ...controller, secret, origin, ...options });
  const server = createServer(async (incoming, outgoing) => {
    const response = await respond(sessions, requestOf(incoming)).catch(refusalOf);
    outgoing.writeHead(response.status, headersOf(response));
    if (response.body) Readable.fromWeb(response.body as ReadableStream).pipe(outgoing);
    else outgoing.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    sessions,
    port,
    /** A browser that visits the application. */
    visitor: (cookies?: Iterable<[string, string]>) => new Visitor(port, new Map(cookies)),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function respond(sessions: CookieSessions, request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (pathname.startsWith('/edge/') || pathname.startsWith('/api/')) return sessions.handle(request);
  const form = request.method === 'POST' ? new URLSearchParams(await request.text()) : new URLSearchParams();
  const field = (name: string) => form.get(name) ?? '';
  switch (pathname) {
    case '/sign-in':
      return shown(await sessions.signIn(request, { username: field('username'), password: field('password') }));
    case '/code':
      return shown(await sessions.answer(request, { code: field('code') }));
    case '/sign-out': {
      const { confirmed, headers } = await sessions.signOut(request);
      return Response.json({ confirmed }, { headers });
    }
    case '/full':
      return shown(await sessions.read(request));
    case '/name': {
      await using edge = await sessions.client(request);
      return Response.json({ name: (await edge.client.currentIdentity.get()).name });
    }
    default:
      return shown(await sessions.read(request, { allowPartial: true }));
  }
}

const shown = ({ session, headers }: Awaited<ReturnType<CookieSessions['answer']>>) =>
  Response.json({ state: session?.state ?? null, name: session?.identity.name ?? null }, { headers });

function refusalOf(error: unknown): Response {
  if (isEdgeCrossSiteError(error)) return new Response(error.message, { status: 403 });
  if (isWrongCredentials(error) || isWrongCode(error)) return new Response('wrong', { status: 400 });
  if (isEdgeAuthQueryError(error, 'NO_SESSION')) return new Response('no session', { status: 401 });
  if (isEdgeNetworkError(error)) return new Response('away', { status: 503 });
  return new Response(String(error), { status: 500 });
}

function requestOf(incoming: IncomingMessage): Request {
  const { method = 'GET', url = '/', headers } = incoming;
  const hasBody = method !== 'GET' && method !== 'HEAD';
  return new Request(`${origin}${url.startsWith('/') ? '' : '/'}${url}`, {
    method,
    headers: Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]),
    ...(hasBody && { body: Readable.toWeb(incoming) as NonNullable<RequestInit['body']>, duplex: 'half' }),
  });
}

function headersOf({ headers }: Response): OutgoingHttpHeaders {
  return { ...Object.fromEntries(headers), 'set-cookie': headers.getSetCookie() };
}

interface VisitOptions {
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

interface Visited {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

/** Sends requests as a browser does: with its cookies, and saying where they come from. */
export class Visitor {
  readonly cookies: Map<string, string>;
  readonly #port: number;
  /** All that scripts of the page could read. */
  readonly seen: string[] = [];

  constructor(port: number, cookies: Map<string, string>) {
    this.#port = port;
    this.cookies = cookies;
  }

  get cookie(): string | undefined {
    return this.cookies.get('__Host-edge-session');
  }

  /** What `cookieStorage` reads. */
  get handle(): string | undefined {
    return this.cookies.get('__Host-edge-session-handle');
  }

  get = (path: string, options?: VisitOptions) => this.send('GET', path, options);

  post = (path: string, form: Record<string, string> = {}, headers: Record<string, string> = {}) => {
    const body = new URLSearchParams(form).toString();
    return this.send('POST', path, {
      body,
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    });
  };

  /** A call of the client in the page. */
  call = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    this.send(method, `/edge/client/v1${path}`, {
      ...(body !== undefined && { body: JSON.stringify(body) }),
      headers: {
        ...(this.handle && { 'svc-session': this.handle }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
    });

  /** An empty header is left out. */
  async send(method: string, path: string, { headers = {}, body }: VisitOptions = {}): Promise<Visited> {
    const own = method === 'GET' ? {} : { origin, 'sec-fetch-site': 'same-origin' };
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const all = Object.entries({ cookie, ...own, ...headers }).filter(([, value]) => value !== '');
    const sent = sendRequest({
      ...{ host: '127.0.0.1', port: this.#port, method, path, agent: false },
      headers: Object.fromEntries(all),
    });
    sent.end(body);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    let text = '';
    for await (const chunk of response.setEncoding('utf8')) text += chunk;
    for (const line of response.headers['set-cookie'] ?? []) this.#keep(line);
    this.seen.push(JSON.stringify([response.headers, text]));
    return { status: response.statusCode ?? 0, headers: response.headers, text };
  }

  #keep(line: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    if (/max-age=0/i.test(line)) this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}
