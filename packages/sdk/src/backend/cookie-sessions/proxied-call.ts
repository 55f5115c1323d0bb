import { authenticatePath, sessionPath } from '../../calls/own-calls.ts';
import type { Api } from '../../requests/controller-url.ts';

interface ProxyRules {
  /** The path of the URL that pages give their client. */
  readonly basePath: string;
  readonly management: boolean;
}

/** A request of a page to the proxy, as one to the controller. */
export interface ProxiedCall {
  readonly api: Api;
  readonly method: string;
  /** Path below the root of the API, with the query. */
  readonly path: string;
  /** `other`: neither begins, ends nor describes a session. */
  readonly kind: 'signIn' | 'signOut' | 'session' | 'sessionList' | 'other';
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
/** Names in plain characters: nothing that another server could decode, and no way up. */
const apiPath = /^\/edge\/(client|management)\/v1((?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)+)$/;
/** A certificate would be the one of the application. */
const signInMethods = ['password', 'ext-jwt'];

/** What a request asks of the controller. `null` when the proxy does not pass it on. */
export function proxiedCall({ method, url }: Request, { basePath, management }: ProxyRules): ProxiedCall | null {
  const { pathname, search, searchParams } = new URL(url);
  if (!pathname.startsWith(`${basePath}/`)) return null;
  const [, api, path = ''] = apiPath.exec(pathname.slice(basePath.length)) ?? [];
  if (!isApi(api) || (api === 'management' && !management) || !methods.includes(method)) return null;
  // Another controller may not care about upper and lower case.
  const name = path.toLowerCase();
  if (name === authenticatePath) return signInOf(api, method, searchParams);
  return { api, method, path: path + search, kind: kindOf(method, name) };
}

function isApi(name: string | undefined): name is Api {
  return name === 'client' || name === 'management';
}

function kindOf(method: string, name: string): ProxiedCall['kind'] {
  if (name === sessionPath) return method === 'DELETE' ? 'signOut' : 'session';
  return /^\/api-sessions(\/|$)/.test(name) ? 'sessionList' : 'other';
}

function signInOf(api: Api, method: string, query: URLSearchParams): ProxiedCall | null {
  const given = [...query].filter(([name]) => name.toLowerCase() === 'method').map(([, value]) => value);
  const [signInMethod = '', ...more] = given;
  if (method !== 'POST' || more.length > 0 || !signInMethods.includes(signInMethod)) return null;
  return { api, method, path: `${authenticatePath}?method=${signInMethod}`, kind: 'signIn' };
}
