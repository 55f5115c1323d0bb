import { createSha256 } from '../sha256.ts';
import { toBase64url } from './base64url.ts';
import type { CookieRequest } from './cookie-request.ts';
import type { CookieSessionStore } from './options.ts';
import type { Sealer } from './sealer.ts';
import type { SessionCookies } from './session-cookies.ts';

/** What the server of an application keeps of an API session. */
export interface KeptSession {
  readonly token: string;
  /** What the scripts of a page have in the place of the token. It has the id of the session and is no secret. */
  readonly handle: string;
}

/** `null` when these are no token and no id of an API session. */
export function keptSessionOf(token: unknown, id: unknown): KeptSession | null {
  const isSession = isText(token, /^[\w.~+/=-]+$/) && isText(id, /^[\w.~-]{1,64}$/);
  return isSession ? { token, handle: handleOf(id) } : null;
}

/** `id`: the id of the API session. */
export const handleOf = (id: string): string => `cookie.${id}`;

function isText(value: unknown, form: RegExp): value is string {
  return typeof value === 'string' && form.test(value);
}

interface KeptSessionsParts {
  readonly cookies: SessionCookies;
  readonly sealer: Sealer;
  readonly store: CookieSessionStore | undefined;
  readonly origin: string;
}

const idLength = 32;
const sha256 = createSha256();

/** The sessions in cookies, or in a store under a random id that is in the cookie. */
export class KeptSessions {
  readonly #parts: KeptSessionsParts;

  constructor(parts: KeptSessionsParts) {
    this.#parts = parts;
  }

  /** The session of the cookie. `null` when there is none, and when it was not sealed here. */
  async open(request: CookieRequest): Promise<KeptSession | null> {
    const { cookies, sealer, store } = this.#parts;
    const value = cookies.session(request);
    if (value === null) return null;
    const key = store && (await sha256(value));
    const sealed = key === undefined ? value : await store?.get(key);
    const text = typeof sealed === 'string' ? await sealer.open(sealed, this.#context(key)) : null;
    return text === null ? null : (JSON.parse(text) as KeptSession);
  }

  /** Keeps a session that began, in the place of the one of the request. Returns the values of `Set-Cookie`. */
  async keep(request: CookieRequest, session: KeptSession): Promise<string[]> {
    const { cookies, sealer, store } = this.#parts;
    await this.#remove(request);
    const text = JSON.stringify(session);
    if (store === undefined) return cookies.set(await sealer.seal(text, this.#context()), session.handle);
    const id = toBase64url(crypto.getRandomValues(new Uint8Array(idLength)));
    // Who can read the store has neither the id nor the token.
    const key = await sha256(id);
    await store.set(key, await sealer.seal(text, this.#context(key)));
    return cookies.set(id, session.handle);
  }

  /** Forgets the session of the request. Returns the values of `Set-Cookie`. */
  async drop(request: CookieRequest): Promise<string[]> {
    await this.#remove(request);
    return this.#parts.cookies.clear();
  }

  async #remove(request: CookieRequest): Promise<void> {
    const { cookies, store } = this.#parts;
    const value = cookies.session(request);
    if (store !== undefined && value !== null) await store.delete(await sha256(value));
  }

  /** A value of another cookie, application or entry of the store does not open. */
  #context(key = ''): string {
    const { cookies, origin } = this.#parts;
    return `${cookies.name} ${origin} ${key}`;
  }
}
