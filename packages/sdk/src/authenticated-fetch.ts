import type { Caller } from './caller.ts';
import type { Fetch } from './options.ts';
import type { SessionKeeper } from './session-keeper.ts';

interface FetchParts {
  readonly caller: Caller;
  readonly keeper: SessionKeeper;
  readonly fetch: Fetch;
  readonly sessionHeader: string;
  readonly controllerOrigin: string;
  readonly origins: readonly string[];
}

/**
 * Makes a `fetch` that sends the token to the controller and to the listed origins, and to no other. A request with
 * the token follows no redirect (`redirect: 'manual'`), because the platform would take the token along.
 */
export function createAuthenticatedFetch(parts: FetchParts): Fetch {
  const { caller, keeper, fetch, sessionHeader, controllerOrigin } = parts;
  const trusted = new Set([controllerOrigin, ...parts.origins.map((origin) => new URL(origin).origin)]);

  return async (input, init) => {
    const request = typeof input === 'object' && 'headers' in input ? input : undefined;
    const { origin } = new URL(request?.url ?? String(input), pageAddress());
    const signal = init?.signal ?? request?.signal;
    const token = trusted.has(origin) ? await caller.token({ signal }) : null;
    if (token === null) return fetch(input, init);
    const headers = new Headers(init?.headers ?? request?.headers);
    headers.set(sessionHeader, token);
    const redirect = (init?.redirect ?? request?.redirect) === 'error' ? 'error' : 'manual';
    const response = await fetch(input, { ...init, headers, redirect });
    if (origin === controllerOrigin) notice(token, response);
    return response;
  };

  function notice(token: string, response: Response): void {
    if (response.ok) keeper.touched(token);
    // The answer belongs to the application; only the state of the session is looked after.
    else if (response.status === 401) caller.recover(token, response.headers).catch(() => undefined);
  }
}

/** What relative addresses are relative to, in a browser. */
function pageAddress(): string | undefined {
  return (globalThis as { location?: { href?: string } }).location?.href;
}
