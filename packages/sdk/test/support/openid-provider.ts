import { generateKeyPairSync } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ResourceServer } from 'oidc-provider';
import { errors, Provider } from 'oidc-provider';

export const redirectUri = 'http://localhost:5190/';
export const audience = 'urn:edge:controller';

/** A program is never signed in without a question. Any other question is about a scope that nobody gets. */
function resultOf({ name, reasons }: { readonly name: string; readonly reasons: readonly string[] }) {
  if (name === 'login') return { login: { accountId: 'ada' } };
  return reasons.every((reason) => reason === 'native_client_prompt')
    ? { consent: {} }
    : { error: 'access_denied', error_description: 'no' };
}

type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;

/**
 * A real OpenID provider on a free port, with the public clients `page` and, for programs, `terminal`. Everybody is signed in as `ada` without being
 * asked. It issues an access token that is a JWT for the resource `audience` only.
 */
export async function openidProvider({ rotates = true } = {}) {
  const seen: string[] = [];
  const state = { handler: (() => undefined) as Handler, intercept: null as Handler | null };
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url?.split('?')[0]}`);
    return (state.intercept ?? state.handler)(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`;
  const provider = createProvider(issuer, rotates);
  const callback = provider.callback();
  state.handler = async (request, response) => {
    if (!request.url?.startsWith('/interaction/')) return callback(request, response);
    const { prompt } = await provider.interactionDetails(request, response);
    return provider.interactionFinished(request, response, resultOf(prompt));
  };
  return {
    issuer,
    /** `METHOD path` of each request. */
    seen,
    /** Answers all requests in the place of the provider. `null`: the provider answers again. */
    intercept(handler: Handler | null) {
      state.intercept = handler;
    },
    visit,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function createProvider(issuer: string, rotates: boolean): Provider {
  const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
  const resource: ResourceServer = { scope: '', audience, accessTokenFormat: 'jwt', jwt: { sign: { alg: 'ES256' } } };
  return new Provider(issuer, {
    clients: [
      {
        ...{ client_id: 'page', redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' },
        ...{ grant_types: ['authorization_code', 'refresh_token'], id_token_signed_response_alg: 'ES256' },
      },
      {
        ...{ client_id: 'terminal', application_type: 'native', redirect_uris: ['http://127.0.0.1/'] },
        ...{ token_endpoint_auth_method: 'none', id_token_signed_response_alg: 'ES256' },
        grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
      },
    ],
    jwks: { keys: [{ ...key, kid: 'key-1', use: 'sig', alg: 'ES256' }] },
    cookies: { keys: ['a key for tests'] },
    clientBasedCORS: () => true,
    features: {
      devInteractions: { enabled: false },
      deviceFlow: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo(_ctx, name) {
          if (name !== audience) throw new errors.InvalidTarget();
          return resource;
        },
      },
    },
    findAccount: (_ctx, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    async loadExistingGrant(ctx) {
      const grant = new ctx.oidc.provider.Grant({ accountId: 'ada', clientId: ctx.oidc.client?.clientId ?? '' });
      grant.addOIDCScope('openid offline_access');
      await grant.save();
      return grant;
    },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    issueRefreshToken: () => true,
    rotateRefreshToken: rotates,
    ttl: { AccessToken: 600, Grant: 600, IdToken: 600, Interaction: 600, RefreshToken: 600, Session: 600 },
  });
}

/** Goes through the pages of the provider as a browser does. Returns the address that it is sent back to. */
async function visit(url: URL, back = redirectUri): Promise<URL> {
  const cookies = new Map<string, string>();
  for (let at = url, hops = 0; hops < 10; hops += 1) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(at, { redirect: 'manual', headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    at = new URL(response.headers.get('location') ?? '', at);
    if (at.href.startsWith(back)) return at;
  }
  throw new Error('the provider did not send the browser back');
}
