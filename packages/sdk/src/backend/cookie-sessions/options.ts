import type { Fetch } from '../../api/fetch.ts';
import { checkNames } from '../../lib/check-names.ts';
import type { CookieRequest } from './cookie-request.ts';

/**
 * Keeps sessions on the server of the application. A `Map` is one. An entry that it loses signs its user out, so drop entries that
 * are older than you want a session to be.
 *
 * @example
 * const store: CookieSessionStore = {
 *   get: (key) => redis.get(key),
 *   set: (key, value) => redis.set(key, value, { EX: 86_400 }),
 *   delete: (key) => redis.del(key),
 * };
 */
export interface CookieSessionStore {
  /** The value, or nothing when there is none. `key` has 64 hexadecimal digits. */
  get(key: string): string | null | undefined | Promise<string | null | undefined>;
  /** Stores a value of less than 4 KB. It is sealed. */
  set(key: string, value: string): unknown;
  /** Removes the value, if there is one. */
  delete(key: string): unknown;
}

/**
 * Options of `createCookieSessions`.
 *
 * @example
 * const options: CookieSessionsOptions = {
 *   controller: 'https://localhost:1280',
 *   caFile: '.edge-controller/pki/ca.pem',
 *   secret: process.env.SESSION_SECRET ?? '',
 *   origin: 'https://app.example.com',
 * };
 */
export interface CookieSessionsOptions {
  /** The URL of the controller. Several URLs: the next one is asked when one cannot be reached. */
  readonly controller: string | URL | readonly (string | URL)[];
  /**
   * Seals the cookie: at least 32 characters that nobody can guess. With several, the first one seals and all of them open. So put
   * a new one in front, and remove the old one when its sessions have ended.
   */
  readonly secret: string | readonly string[];
  /** The origin of the application as browsers see it: `https://app.example.com`. Plain http only on this machine. */
  readonly origin: string;
  /** The path of the URL that pages give `createEdgeClient`. Default: none, and the proxy is at `/edge`. */
  readonly basePath?: string | undefined;
  /** Keeps the sessions; the cookie then has a random id. Default: the cookie has the sealed token. */
  readonly store?: CookieSessionStore | undefined;
  /** Whether pages may call the Management API. Their session needs its permissions, too. Default false. */
  readonly management?: boolean | undefined;
  /**
   * The one address of the user, for the limits and the log of the controller. It counts when the controller has the server of the
   * application in `web.trustedProxies`. Take it from the connection, or from a header that only your own proxy can set. Default:
   * not sent, and all users share one address.
   */
  readonly clientAddress?: ((request: CookieRequest) => string | null | undefined) | undefined;
  /** The name of the cookie, before the prefix `__Host-` that https adds. Default `edge-session`. */
  readonly cookieName?: string | undefined;
  /** Node: PEM certificates of the CAs to trust, instead of those of the platform. Cannot be combined with `fetch`. */
  readonly ca?: string | readonly string[] | undefined;
  /** Node: path of a file with such certificates. It is read at the first request. */
  readonly caFile?: string | undefined;
  /** Sends the requests. It must not present a client certificate. Default: the `fetch` of the platform. */
  readonly fetch?: Fetch | undefined;
  /** Name of the header with the token. Default `svc-session`. */
  readonly sessionHeader?: string | undefined;
  /** Milliseconds for one request to the controller, with its body. Default 30000. */
  readonly timeout?: number | undefined;
  /** Runs when the proxy could not reach the controller. Default: nothing. */
  readonly onError?: ((error: Error) => void) | undefined;
}

const all: { readonly [Name in keyof Required<CookieSessionsOptions>]: 1 } = {
  ...{ controller: 1, secret: 1, origin: 1, basePath: 1, store: 1, management: 1, clientAddress: 1, cookieName: 1 },
  ...{ ca: 1, caFile: 1, fetch: 1, sessionHeader: 1, timeout: 1, onError: 1 },
};

/** Refuses options that cannot work. Throws `TypeError`. */
export function checkCookieOptions(options: CookieSessionsOptions): void {
  checkNames(options, Object.keys(all), 'option');
  const { origin, basePath = '', cookieName = 'edge-session', timeout = 1 } = options;
  const url = URL.canParse(origin) ? new URL(origin) : null;
  const isLocal = url !== null && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  if (url?.origin !== origin || !(url.protocol === 'https:' || (url.protocol === 'http:' && isLocal))) {
    throw new TypeError(`origin must be like https://app.example.com, without a path; got ${origin}`);
  }
  if (!/^(\/[\w.~-]+)*$/.test(basePath)) throw new TypeError('basePath must be like /api, without a slash at the end');
  if (!/^[\w-]+$/.test(cookieName)) throw new TypeError('cookieName must have letters, digits, - and _ only');
  if (!(timeout > 0)) throw new TypeError('timeout must be a positive number of milliseconds');
}
