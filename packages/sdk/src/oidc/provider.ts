import * as oauth from 'oauth4webapi';
import type { Fetch } from '../api/fetch.ts';
import { EdgeOidcError } from './oidc-error.ts';

/** Milliseconds for one request to the provider. */
const timeout = 30_000;
/** Seconds by which the clock of the provider may differ. */
const clockTolerance = 30;
const loopback = new Set(['localhost', '127.0.0.1', '[::1]']);

interface ProviderOptions {
  readonly externalAuthUrl: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly fetch: Fetch;
}

/** What a code is exchanged with. */
export interface CodeExchange {
  /** The address to which the provider sent the browser. */
  readonly address: URL;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly resource: string | undefined;
}

/** The tokens of one response of the provider. */
export type ProviderTokens = Pick<oauth.TokenEndpointResponse, 'access_token' | 'id_token' | 'refresh_token'>;

/** The requests to an OpenID provider. They throw `EdgeOidcError`. */
export function createProvider({ externalAuthUrl, clientId, redirectUri, fetch }: ProviderOptions) {
  const issuer = secureUrl(externalAuthUrl.replace(/\/?\.well-known\/openid-configuration$/, ''));
  if (issuer === null) throw new EdgeOidcError('NOT_CONFIGURED');
  const client: oauth.Client = { client_id: clientId, [oauth.clockTolerance]: clockTolerance };
  const options = {
    [oauth.customFetch]: (url: string, init: object) => fetch(url, init),
    [oauth.allowInsecureRequests]: issuer.protocol === 'http:',
    signal: () => AbortSignal.timeout(timeout),
  };
  let discovered: Promise<oauth.AuthorizationServer> | null = null;

  function discover(): Promise<oauth.AuthorizationServer> {
    discovered ??= converted(async () =>
      oauth.processDiscoveryResponse(issuer as URL, await oauth.discoveryRequest(issuer as URL, options)),
    ).catch((error: unknown) => {
      discovered = null;
      throw error;
    });
    return discovered;
  }

  return {
    /** The address at which the person signs in. */
    async authorizationUrl(parameters: Readonly<Record<string, string>>): Promise<URL> {
      const { authorization_endpoint: endpoint } = await discover();
      const url = secureUrl(endpoint ?? '');
      if (url === null) throw new EdgeOidcError('INVALID_RESPONSE', { detail: 'no secure authorization_endpoint' });
      const all = { ...parameters, response_type: 'code', client_id: clientId, redirect_uri: redirectUri };
      for (const [name, value] of Object.entries(all)) url.searchParams.set(name, value);
      return url;
    },
    exchange: ({ address, state, nonce, verifier, resource }: CodeExchange): Promise<ProviderTokens> =>
      converted(async () => {
        const server = await discover();
        const response = oauth.validateAuthResponse(server, client, address, state);
        return oauth.processAuthorizationCodeResponse(
          server,
          client,
          await oauth.authorizationCodeGrantRequest(server, client, oauth.None(), response, redirectUri, verifier, {
            ...options,
            ...(resource !== undefined && { additionalParameters: { resource } }),
          }),
          { expectedNonce: nonce, requireIdToken: true },
        );
      }),
    refresh: (refreshToken: string, resource: string | undefined): Promise<ProviderTokens> =>
      converted(async () => {
        const server = await discover();
        return oauth.processRefreshTokenResponse(
          server,
          client,
          await oauth.refreshTokenGrantRequest(server, client, oauth.None(), refreshToken, {
            ...options,
            ...(resource !== undefined && { additionalParameters: { resource } }),
          }),
        );
      }),
  };
}

export async function newSecrets() {
  const verifier = oauth.generateRandomCodeVerifier();
  return {
    verifier,
    challenge: await oauth.calculatePKCECodeChallenge(verifier),
    state: oauth.generateRandomState(),
    nonce: oauth.generateRandomNonce(),
  };
}

/** Plain http only to this machine: others on the network could read the tokens. */
function secureUrl(text: string): URL | null {
  const url = URL.parse(text);
  if (url === null || url.username !== '' || url.password !== '') return null;
  return url.protocol === 'https:' || (url.protocol === 'http:' && loopback.has(url.hostname)) ? url : null;
}

/** Converts the errors of the library. Their causes contain tokens, codes and states; nothing of them is kept. */
async function converted<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof EdgeOidcError) throw error;
    if (error instanceof oauth.AuthorizationResponseError || error instanceof oauth.ResponseBodyError) {
      throw new EdgeOidcError('REFUSED', { error: error.error });
    }
    if (error instanceof oauth.WWWAuthenticateChallengeError) {
      throw new EdgeOidcError('REFUSED', { error: error.cause[0]?.parameters.error ?? `status ${error.status}` });
    }
    if (error instanceof oauth.OperationProcessingError || error instanceof oauth.UnsupportedOperationError) {
      throw new EdgeOidcError('INVALID_RESPONSE', { detail: error.message });
    }
    throw new EdgeOidcError('UNREACHABLE');
  }
}
