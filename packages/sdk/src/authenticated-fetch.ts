import type { Caller } from './caller.ts';
import type { Fetch } from './options.ts';
import type { SecondaryTokens } from './secondary-tokens.ts';
import type { SessionKeeper } from './session-keeper.ts';

interface FetchParts {
  readonly caller: Caller;
  readonly keeper: SessionKeeper;
  readonly secondary: SecondaryTokens;
  readonly fetch: Fetch;
  readonly sessionHeader: string;
  readonly controllerOrigin: string;
  readonly origins: readonly string[];
}

/**
 * Creates a `fetch` that sends the token to the controller and to the listed origins only, and the JWT of the second factor to
 * the controller only. A request with the token does not follow redirects (`redirect: 'manual'`), because the platform would
 * send the token to the new address too.
 */
export function createAuthenticatedFetch(parts: FetchParts): Fetch {
  const { caller, keeper, secondary, fetch, sessionHeader, controllerOrigin } = parts;
  const trusted = new Set([controllerOrigin, ...parts.origins.map((origin) => new URL(origin).origin)]);

  return async (input, init) => {
    const request = typeof input === 'object' && 'headers' in input ? input : undefined;
    const { origin } = new URL(request?.url ?? String(input), pageUrl());
    const signal = init?.signal ?? request?.signal;
    const token = trusted.has(origin) ? await caller.token({ signal }) : null;
    if (token === null) return fetch(input, init);
    const headers = new Headers(init?.headers ?? request?.headers);
    headers.set(sessionHeader, token);
    if (origin === controllerOrigin && !headers.has('authorization')) {
      const jwt = await secondary.get(token, signal ?? new AbortController().signal);
      if (jwt !== null) headers.set('authorization', `Bearer ${jwt}`);
    }
    const redirect = (init?.redirect ?? request?.redirect) === 'error' ? 'error' : 'manual';
    const response = await fetch(input, { ...init, headers, redirect });
    if (origin === controllerOrigin) updateSession(token, response);
    return response;
  };

  function updateSession(token: string, response: Response): void {
    if (response.ok) keeper.restartTimeout(token);
    // The application handles the response. The client only updates its session.
    else if (response.status === 401) caller.recover(token, response.headers).catch(() => undefined);
  }
}

/** The base of relative URLs in a browser. */
function pageUrl(): string | undefined {
  return (globalThis as { location?: { href?: string } }).location?.href;
}
