import type { CookieRequest } from './cookie-request.ts';

interface SessionCookiesOptions {
  readonly name: string;
  /** Whether the application uses https. */
  readonly isSecure: boolean;
}

/** The longest cookie that all browsers keep, with its name and attributes. */
const maxCookie = 4_096;

/**
 * The two cookies of a session. No script sees the first one: it is the session. The second one has the handle, so that the scripts
 * of a page know which session it is; it proves nothing.
 */
export class SessionCookies {
  readonly name: string;
  readonly #handleName: string;
  readonly #attributes: string;

  constructor({ name, isSecure }: SessionCookiesOptions) {
    // Browsers accept a name with this prefix only from the host itself, for all its paths: no other host can set the cookie.
    this.name = isSecure ? `__Host-${name}` : name;
    this.#handleName = `${this.name}-handle`;
    this.#attributes = `Path=/; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  }

  /** The value of the session cookie. `null` without one, or when no cookie of ours is that long. */
  session(request: CookieRequest): string | null {
    const value = cookieOf(request, this.name);
    return value !== null && value.length <= maxCookie ? value : null;
  }

  handle(request: CookieRequest): string | null {
    return cookieOf(request, this.#handleName);
  }

  /** Whether there is a cookie to clear. */
  isPresent(request: CookieRequest): boolean {
    return cookieOf(request, this.name) !== null || cookieOf(request, this.#handleName) !== null;
  }

  /**
   * The values of `Set-Cookie` for a session. They have no `Max-Age`: the cookies end with the browser.
   *
   * @throws RangeError when a browser would not keep the cookie
   */
  set(session: string, handle: string): string[] {
    const cookie = `${this.name}=${session}; ${this.#attributes}; HttpOnly`;
    if (cookie.length > maxCookie) throw new RangeError('the token is too long for a cookie: use a store');
    return [cookie, `${this.#handleName}=${handle}; ${this.#attributes}`];
  }

  clear(): string[] {
    return [
      `${this.name}=; ${this.#attributes}; HttpOnly; Max-Age=0`,
      `${this.#handleName}=; ${this.#attributes}; Max-Age=0`,
    ];
  }
}

function cookieOf({ headers }: CookieRequest, name: string): string | null {
  const pairs = (headers.get('cookie') ?? '').split(';').map((pair) => pair.trim());
  const found = pairs.find((pair) => pair.startsWith(`${name}=`));
  return found === undefined ? null : found.slice(name.length + 1);
}
