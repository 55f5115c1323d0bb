import type { Fetch } from '../api/fetch.ts';
import type { EdgeClientOptions } from '../api/options.ts';
import { absoluteUrl } from '../lib/absolute-url.ts';
import type { Clock } from '../lib/clock.ts';
import { expiresIn } from '../lib/expires-in.ts';
import { originOf } from '../lib/origin-of.ts';
import type { ControllerUrl } from '../requests/controller-url.ts';
import type { Recovery } from './recovery.ts';
import type { Secondary } from './secondary.ts';
import type { SessionManager } from './session-manager.ts';
import type { StoredSession } from './stored-session.ts';
import { warnOfOrigin } from './warn-of-origin.ts';

interface FetchParts {
  readonly stored: Pick<StoredSession, 'token'>;
  readonly recovery: Pick<Recovery, 'recover'>;
  readonly manager: Pick<SessionManager, 'token' | 'restartTimeout' | 'extend'>;
  readonly secondary: Pick<Secondary, 'current'>;
  readonly clock: Clock;
  readonly fetch: Fetch;
  readonly sessionHeader: string;
  readonly controllers: readonly ControllerUrl[];
  readonly origins: readonly string[];
  readonly options: Pick<EdgeClientOptions, 'logger'>;
}

/**
 * Creates a `fetch` that sends the token to the controller and to the listed origins only, and the JWT of the second factor to
 * the controller only. A request with the token does not follow redirects (`redirect: 'manual'`), because the platform would
 * send the token to the new address too. After a 401 that proves the end of the session, and when another session replaced it,
 * it sends the request once more if its body can be sent again. The address is read once: what decides about the token is what is sent.
 */
export function createAuthenticatedFetch(parts: FetchParts): Fetch {
  const { stored, recovery, manager, secondary, clock, fetch, sessionHeader, controllers, origins, options } = parts;

  return async (input, init) => {
    const requested = addressOfRequest(input);
    const request = requested === null ? undefined : (input as Request);
    const url = requested ?? absoluteUrl(input as string | URL);
    const sent = request ?? url;
    const signal = init?.signal ?? request?.signal;
    const target = originOf(url);
    const isController = controllers.some(({ origin }) => origin === target);
    const mayHaveToken = origins.includes(target);
    if (!mayHaveToken) warnOfOrigin(target, origins, options.logger);
    const token = mayHaveToken ? await stored.token({ signal }) : null;
    if (token === null) return fetch(sent, init);

    async function send(sentToken: string): Promise<Response> {
      const headers = new Headers(init?.headers ?? request?.headers);
      headers.set(sessionHeader, sentToken);
      if (isController && !headers.has('authorization')) {
        const jwts = await secondary.current();
        const jwt = await jwts?.get(sentToken, signal ?? new AbortController().signal);
        if (jwt) headers.set('authorization', `Bearer ${jwt}`);
      }
      const redirect = (init?.redirect ?? request?.redirect) === 'error' ? 'error' : 'manual';
      const sentAt = clock();
      const response = await fetch(sent, { ...init, headers, redirect });
      const left = expiresIn(response.headers);
      if (!isController && left !== null) manager.extend(sentToken, left, sentAt);
      else if (response.ok && isController) manager.restartTimeout(sentToken, left);
      return response;
    }

    const response = await send(token);
    if (response.status !== 401) return response;
    const isReplaced = await withSignal(
      recovery.recover(token, isController ? response.headers : new Headers()),
      signal,
    );
    const newToken = manager.token();
    if (!isReplaced || newToken === null || !canSendAgain(init?.body ?? request?.body)) return response;
    await response.body?.cancel();
    return send(newToken);
  };
}

/** The address that a request was made with, also one of another frame. A `url` of its own could say another one. */
function addressOfRequest(input: unknown): string | null {
  try {
    return Reflect.get(Request.prototype, 'url', input);
  } catch {
    return null;
  }
}

/** A stream can be read once. The body of a `Request` is a stream. */
const canSendAgain = (body: unknown): boolean => !(typeof body === 'object' && body !== null && 'getReader' in body);

/** Rejects when the signal aborts first. */
async function withSignal<T>(promise: Promise<T>, signal: AbortSignal | null | undefined): Promise<T> {
  const done = new AbortController();
  const aborted = new Promise<never>((_resolve, reject) => {
    const end = () => reject(signal?.reason);
    signal?.addEventListener('abort', end, { signal: done.signal });
    if (signal?.aborted) end();
  });
  return Promise.race([aborted, promise]).finally(() => done.abort());
}
