import type { Fetch } from '../api/fetch.ts';
import type { TokenRequest } from '../api/get-token.ts';
import type { TokenStorage } from '../api/token-storage.ts';
import type { WebStorageLike } from '../storage/area-storage.ts';
import { areaStorage } from '../storage/area-storage.ts';
import { memoryStorage } from '../storage/memory-storage.ts';
import { KeptTokens } from './kept-tokens.ts';
import { EdgeOidcError } from './oidc-error.ts';
import { parsed } from './parsed.ts';
import { createProvider, newSecrets } from './provider.ts';

/** What the helper needs of an external JWT signer: a row of `edge.signers()`. */
export interface OidcSigner {
  /** Issuer of the provider, with or without `/.well-known/openid-configuration`. */
  readonly externalAuthUrl?: string | null | undefined;
  readonly clientId?: string | null | undefined;
  /** `openid` is always added. With `offline_access` many providers give a refresh token. */
  readonly scopes?: readonly string[] | null | undefined;
  /** Which token the controller wants. Default `ACCESS`. */
  readonly targetToken?: string | null | undefined;
}

/**
 * Options of `createOidc`.
 *
 * @example
 * const [signer] = await edge.signers();
 * const options: OidcOptions = { signer, redirectUri: `${location.origin}/`, parameters: { resource: 'https://edge.example' } };
 */
export interface OidcOptions {
  readonly signer: OidcSigner;
  /** The page to which the provider sends the browser back, as it is registered at the provider. */
  readonly redirectUri: string | URL;
  /**
   * More parameters of the authorization request. `resource` is also sent when a token is requested. Many providers
   * issue an access token that is a JWT only for a `resource` or an `audience`.
   */
  readonly parameters?: Readonly<Record<string, string>> | undefined;
  /** Keeps the pending request until the browser comes back. Default: the session storage of the tab. */
  readonly pendingStorage?: TokenStorage | undefined;
  /** Keeps the tokens, which are secrets. Default: in memory, so that a reload loses them. */
  readonly tokenStorage?: TokenStorage | undefined;
  /** Sends the requests to the provider. Default: the `fetch` of the platform. */
  readonly fetch?: Fetch | undefined;
}

/**
 * The sign-in of a person at the OpenID provider of one signer.
 *
 * @example
 * const [signer] = await edge.signers();
 * const oidc = createOidc({ signer, redirectUri: `${location.origin}/` });
 * if (await oidc.callback()) await edge.signIn.extJwt({ getToken: oidc.getToken });
 * signInButton.onclick = () => oidc.redirect();
 */
export interface Oidc {
  /** Begins a sign-in and returns the address at the provider. `parameters`: `{ prompt: 'login' }`, `login_hint`, … */
  authorizationUrl(parameters?: Readonly<Record<string, string>>): Promise<URL>;
  /** Begins a sign-in and sends the browser to the provider. */
  redirect(parameters?: Readonly<Record<string, string>>): Promise<void>;
  /**
   * Completes the sign-in when the browser has come back. Call it when the page is loaded. It removes the response of the
   * provider from the address of the page. False when the address is no response to a request of this tab.
   *
   * @param address Default: the address of the page.
   */
  callback(address?: string | URL): Promise<boolean>;
  /**
   * The token that the controller wants, for `signIn.extJwt` and for `secondaryToken`. Uses the refresh token when there
   * is one. `null` when the person must go to the provider: call `redirect`.
   */
  readonly getToken: (request?: Pick<TokenRequest, 'reason'>) => Promise<string | null>;
  /** Forgets the tokens. The person stays signed in at the provider. */
  forget(): Promise<void>;
}

interface PendingRequest {
  readonly provider: string;
  readonly verifier: string;
  readonly nonce: string;
}

const responseParameters = ['code', 'state', 'iss', 'error', 'error_description', 'error_uri', 'session_state'];

/**
 * Signs a person in at the OpenID provider of an external JWT signer: authorization code with PKCE, for public clients.
 * Needs the package `oauth4webapi`. Uses plain http only when the provider runs on this machine.
 *
 * @throws EdgeOidcError, also from each function
 * @example
 * const [signer] = await edge.signers();
 * const oidc = createOidc({ signer, redirectUri: location.origin });
 * await oidc.callback();
 * if (await oidc.getToken()) await edge.signIn.extJwt({ getToken: oidc.getToken });
 * else await oidc.redirect();
 */
export function createOidc({ signer, redirectUri, parameters: standing, fetch, ...options }: OidcOptions): Oidc {
  const { externalAuthUrl, clientId, scopes, targetToken } = signer;
  if (!externalAuthUrl || !clientId) throw new EdgeOidcError('NOT_CONFIGURED');
  const provider = createProvider({
    ...{ externalAuthUrl, clientId, redirectUri: String(redirectUri) },
    fetch: fetch ?? ((input, init) => globalThis.fetch(input, init)),
  });
  const { pendingStorage = tabStorage(), tokenStorage = memoryStorage() } = options;
  const providerKey = `${externalAuthUrl} ${clientId}`;
  const tokens = new KeptTokens({
    provider,
    storage: tokenStorage,
    key: `edge-oidc ${providerKey}`,
    targetToken,
    resource: standing?.resource,
  });

  async function authorizationUrl(parameters?: Readonly<Record<string, string>>): Promise<URL> {
    const { verifier, challenge, state, nonce } = await newSecrets();
    const url = await provider.authorizationUrl({
      ...standing,
      ...parameters,
      ...{ scope: [...new Set(['openid', ...(scopes ?? [])])].join(' '), state, nonce },
      ...{ code_challenge: challenge, code_challenge_method: 'S256' },
    });
    const pending: PendingRequest = { provider: providerKey, verifier, nonce };
    await pendingStorage.set(pendingKey(state), JSON.stringify(pending));
    return url;
  }

  return {
    authorizationUrl,
    async redirect(parameters) {
      const url = await authorizationUrl(parameters);
      page().location?.assign(url.href);
    },
    async callback(given) {
      const address = new URL(given ?? page().location?.href ?? '');
      const state = address.searchParams.get('state');
      const pending = state && parsed<PendingRequest>(await pendingStorage.get(pendingKey(state)));
      if (!pending || pending.provider !== providerKey) return false;
      const { verifier, nonce } = pending;
      // The request and the code can be used once, even if the exchange fails.
      await pendingStorage.remove(pendingKey(state));
      cleanAddress();
      await tokens.keep(await provider.exchange({ address, state, nonce, verifier, resource: standing?.resource }));
      return true;
    },
    getToken: async ({ reason } = { reason: 'needed' }) => tokens.get(reason),
    forget: async () => tokens.forget(),
  };
}

interface Page {
  readonly location?: { readonly href: string; assign(url: string): void };
  readonly history?: { readonly state: unknown; replaceState(state: unknown, unused: string, url: string): void };
  readonly sessionStorage?: WebStorageLike;
}

function pendingKey(state: string): string {
  return `edge-oidc-pending ${state}`;
}

function page(): Page {
  return globalThis as Page;
}

function tabStorage(): TokenStorage {
  const { sessionStorage } = page();
  return sessionStorage === undefined ? memoryStorage() : areaStorage(() => sessionStorage);
}

function cleanAddress(): void {
  const { location, history } = page();
  if (location === undefined || history === undefined) return;
  const clean = new URL(location.href);
  for (const name of responseParameters) clean.searchParams.delete(name);
  history.replaceState(history.state, '', clean.href);
}
