import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';

export const clientId = 'edge-page';

/** An OpenID provider that believes every name. */
export interface OpenidProvider {
  readonly issuer: string;
  close(): Promise<unknown>;
}

const style = readFileSync(new URL('../browser-sign-in/style.css', import.meta.url), 'utf8');

/** Starts the provider. `page`: the address of the page that may send people to it. `port` 0 takes a free one. */
export async function startProvider({ port, page }: { port: number; page: string }): Promise<OpenidProvider> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, 'localhost', resolve);
  });
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`;
  const provider = createProvider(issuer, page);
  const callback = provider.callback();
  server.on('request', (request, response) => {
    if (request.url === '/style.css') return response.writeHead(200, { 'Content-Type': 'text/css' }).end(style);
    if (!request.url?.startsWith('/interaction/')) return callback(request, response);
    return askName(provider, request, response).catch(() => response.writeHead(400).end('This sign-in has ended.'));
  });
  return {
    issuer,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

function createProvider(issuer: string, page: string): Provider {
  const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
  return new Provider(issuer, {
    clients: [
      {
        ...{ client_id: clientId, redirect_uris: [page], token_endpoint_auth_method: 'none' },
        ...{ grant_types: ['authorization_code', 'refresh_token'], id_token_signed_response_alg: 'ES256' },
      },
    ],
    // The script of the page reads the metadata and the tokens.
    clientBasedCORS: (_ctx, origin) => origin === new URL(page).origin,
    jwks: { keys: [{ ...key, kid: 'key-1', use: 'sig', alg: 'ES256' }] },
    cookies: { keys: [crypto.randomUUID()] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    findAccount: (_ctx, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    // Everybody agrees that the page may know who they are.
    async loadExistingGrant({ oidc }) {
      const { session, client } = oidc;
      const grant = new oidc.provider.Grant({ accountId: session?.accountId ?? '', clientId: client?.clientId ?? '' });
      grant.addOIDCScope('openid offline_access');
      await grant.save();
      return grant;
    },
    issueRefreshToken: () => true,
    ttl: { AccessToken: 300, Grant: 3_600, IdToken: 300, Interaction: 600, RefreshToken: 3_600, Session: 3_600 },
  });
}

async function askName(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  await provider.interactionDetails(request, response);
  if (request.method !== 'POST') {
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' });
    response.end(loginPage);
    return;
  }
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const accountId = new URLSearchParams(Buffer.concat(chunks).toString()).get('name');
  const result = accountId ? { login: { accountId } } : { error: 'access_denied' };
  await provider.interactionFinished(request, response, result);
}

const loginPage = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Sign in · Example provider</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/style.css">
  </head>
  <body>
    <main>
      <header><div><h1>Example provider</h1><p>believes every name</p></div></header>
      <form method="post" class="view">
        <h2>Who are you?</h2>
        <label>Name <input name="name" required autofocus></label>
        <button type="submit">Sign in</button>
        <div class="links"><button type="submit" class="link" formnovalidate name="name" value="">Cancel</button></div>
      </form>
    </main>
  </body>
</html>
`;
