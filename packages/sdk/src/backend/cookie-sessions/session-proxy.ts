import type { CurrentApiSessionDetail } from '../../api/generated/entities.ts';
import { isSessionRefusal } from '../../requests/session-refusal.ts';
import type { ControllerRequests } from './controller-requests.ts';
import type { CookieRequest } from './cookie-request.ts';
import { isCrossSiteWrite } from './cookie-request.ts';
import { hideToken, hideTokens } from './hide-token.ts';
import type { KeptSession, KeptSessions } from './kept-sessions.ts';
import { keptSessionOf } from './kept-sessions.ts';
import type { ProxiedCall } from './proxied-call.ts';
import { proxiedCall } from './proxied-call.ts';
import { passedRequestHeaders, passedResponseHeaders } from './proxied-headers.ts';
import { refuseAway, refuseBody, refuseCrossSite, refuseHandle, refusePath } from './proxy-refusals.ts';
import { readLimitedBody } from './read-limited-body.ts';
import type { ServerSessions } from './server-sessions.ts';

interface SessionProxyParts {
  readonly kept: KeptSessions;
  readonly requests: ControllerRequests;
  readonly sessions: Pick<ServerSessions, 'begin'>;
  readonly origin: string;
  readonly basePath: string;
  readonly management: boolean;
  readonly sessionHeader: string;
  readonly addressHeaders: (request: CookieRequest) => Record<string, string>;
  readonly onError: ((error: Error) => void) | undefined;
}

/** The longest body that a controller accepts. */
const maxBody = 1_048_576;

/** Passes the calls of pages to the controller. The page has a handle, and the controller gets the token. */
export class SessionProxy {
  readonly #parts: SessionProxyParts;

  constructor(parts: SessionProxyParts) {
    this.#parts = parts;
  }

  async handle(request: Request): Promise<Response> {
    const { kept, origin, onError } = this.#parts;
    const call = proxiedCall(request, this.#parts);
    if (call === null) return refusePath();
    if (isCrossSiteWrite(request, origin)) return refuseCrossSite();
    try {
      return await this.#pass(request, call);
    } catch (error) {
      request.signal.throwIfAborted();
      onError?.(error as Error);
      const response = refuseAway();
      // Who signs out is signed out here, whether the controller knows it or not.
      if (call.kind === 'signOut') setCookies(response, await kept.drop(request));
      return response;
    }
  }

  async #pass(request: Request, call: ProxiedCall): Promise<Response> {
    const { kept, sessionHeader } = this.#parts;
    // The cookie alone gives no access: without the handle, which only a page of the application sends, nobody is signed in.
    const handle = call.kind === 'signIn' ? null : request.headers.get(sessionHeader);
    const session = handle === null ? null : await kept.open(request);
    if (session?.handle !== (handle ?? undefined)) return refuseHandle(sessionHeader);
    const body = await readLimitedBody(request, maxBody);
    if (body === null) return refuseBody();
    return this.#respond(request, call, session, await this.#send(request, call, session, body));
  }

  #send(request: Request, call: ProxiedCall, session: KeptSession | null, body: Uint8Array<ArrayBuffer>) {
    const { requests, sessionHeader, addressHeaders } = this.#parts;
    const headers = {
      ...passedRequestHeaders(request.headers),
      ...addressHeaders(request),
      ...(session !== null && { [sessionHeader]: session.token }),
    };
    return requests.send({ ...call, headers, body: body.length > 0 ? body : undefined, signal: request.signal });
  }

  async #respond(
    request: Request,
    { kind }: ProxiedCall,
    session: KeptSession | null,
    received: Response,
  ): Promise<Response> {
    const { status, body } = received;
    const headers = passedResponseHeaders(received.headers);
    // It would lead the browser to another server.
    if (status >= 300 && status < 400) return refuseAway();
    if (kind === 'signIn' && status === 200) return this.#begin(request, received, headers);
    if (kind === 'other') {
      const isImage = headers.get('content-type')?.startsWith('image/') === true;
      const content = session && body && !isImage ? hideToken(body, session) : body;
      return new Response(content, { status, headers });
    }
    const text = await received.text();
    const response = new Response((session ? hideTokens(text, session) : text) || null, { status, headers });
    const isRefused = isSessionRefusal({ status, headers, body: parsed(text) });
    const isOver = kind === 'signOut' || (kind === 'session' && isRefused);
    if (session && isOver) setCookies(response, await this.#parts.kept.drop(request));
    return response;
  }

  /** The page gets the handle of the new session, and the cookie its token. */
  async #begin(request: Request, received: Response, headers: Headers): Promise<Response> {
    const { sessions, sessionHeader } = this.#parts;
    const text = await received.text();
    const { data } = (parsed(text) ?? {}) as { data?: CurrentApiSessionDetail };
    const session = keptSessionOf(data?.token, data?.id);
    if (session === null) return refuseAway();
    headers.set(sessionHeader, session.handle);
    const response = new Response(hideTokens(text, session), { status: received.status, headers });
    setCookies(response, await sessions.begin(request, session));
    return response;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function setCookies({ headers }: Response, cookies: readonly string[]): void {
  for (const cookie of cookies) headers.append('set-cookie', cookie);
}
