import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { audience, openidProvider, redirectUri } from '../../test/support/openid-provider.ts';
import { unsignedJwt } from '../../test/support/unsigned-jwt.ts';
import type { Fetch } from '../api/fetch.ts';
import type { TokenStorage } from '../api/token-storage.ts';
import { memoryStorage } from '../storage/memory-storage.ts';
import type { OidcOptions } from './index.ts';
import { createOidc, isEdgeOidcError } from './index.ts';

const failure = (call: Promise<unknown>) =>
  call.then(
    () => expect.fail('the call succeeded'),
    (error: unknown) => error,
  );

const claimsOf = (jwt: string | null) => JSON.parse(Buffer.from(jwt?.split('.')[1] ?? '', 'base64url').toString());

/** The helper with the signer of this provider, and what it has stored. */
function helperOf(issuer: string, { signer, ...options }: Partial<OidcOptions> = {}) {
  const stored = new Map<string, string>();
  const storage: TokenStorage = {
    get: (key) => stored.get(key) ?? null,
    set: (key, value) => void stored.set(key, value),
    remove: (key) => void stored.delete(key),
  };
  const oidc = createOidc({
    signer: { externalAuthUrl: issuer, clientId: 'page', targetToken: 'ID', ...signer },
    ...{ redirectUri, pendingStorage: storage, tokenStorage: storage, ...options },
  });
  return { oidc, stored };
}

test('signs in with code and PKCE, and gives the token that the signer wants', async () => {
  await using provider = await openidProvider();
  const { oidc, stored } = helperOf(provider.issuer, { signer: { scopes: ['offline_access'] } });
  expect([await oidc.getToken(), await oidc.callback(redirectUri)]).toEqual([null, false]);
  const url = await oidc.authorizationUrl({ prompt: 'login' });
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    ...{ response_type: 'code', client_id: 'page', redirect_uri: redirectUri, scope: 'openid offline_access' },
    ...{ code_challenge_method: 'S256', prompt: 'login', state: expect.any(String), nonce: expect.any(String) },
  });
  expect(await oidc.callback(await provider.visit(url))).toBe(true);
  expect(claimsOf(await oidc.getToken())).toMatchObject({ iss: provider.issuer, aud: 'page', sub: 'ada' });
  expect([...stored.keys()]).toEqual([`edge-oidc ${provider.issuer} page`]);
  await oidc.forget();
  expect([await oidc.getToken(), stored.size]).toEqual([null, 0]);
});

test('an access token for a resource is a JWT for this audience', async () => {
  await using provider = await openidProvider();
  const { oidc } = helperOf(`${provider.issuer}/.well-known/openid-configuration`, {
    ...{ signer: { targetToken: 'ACCESS' }, parameters: { resource: audience } },
  });
  await oidc.callback(await provider.visit(await oidc.authorizationUrl()));
  expect(claimsOf(await oidc.getToken())).toMatchObject({ aud: audience, sub: 'ada', client_id: 'page' });
  expect(claimsOf(await oidc.getToken({ reason: 'refused' }))).toMatchObject({ aud: audience, sub: 'ada' });
});

test('a response counts once, in the tab and for the provider that it belongs to', async () => {
  await using provider = await openidProvider();
  const { oidc, stored } = helperOf(provider.issuer);
  const address = await provider.visit(await oidc.authorizationUrl());
  const forged = new URL(address);
  forged.searchParams.set('state', 'forged');
  const sameTab: TokenStorage = { ...memoryStorage(), get: (key) => stored.get(key) ?? null };
  const otherProvider = helperOf('https://other.example', { pendingStorage: sameTab }).oidc;
  const before = provider.seen.length;
  expect(await helperOf(provider.issuer).oidc.callback(address)).toBe(false);
  expect([await oidc.callback(forged), await otherProvider.callback(address)]).toEqual([false, false]);
  expect(provider.seen.length).toBe(before);
  expect([await oidc.callback(address), await oidc.callback(address)]).toEqual([true, false]);
  expect(provider.seen.filter((request) => request === 'POST /token')).toHaveLength(1);
});

test('a token response with another nonce or of another issuer is refused', async () => {
  await using provider = await openidProvider();
  const { oidc, stored } = helperOf(provider.issuer);
  const address = await provider.visit(await oidc.authorizationUrl());
  for (const [key, value] of stored) stored.set(key, JSON.stringify({ ...JSON.parse(value), nonce: 'another' }));
  expect(await failure(oidc.callback(address))).toMatchObject({ code: 'INVALID_RESPONSE' });
  const second = await provider.visit(await oidc.authorizationUrl());
  second.searchParams.set('iss', 'https://other.example');
  expect(await failure(oidc.callback(second))).toMatchObject({ code: 'INVALID_RESPONSE' });
  expect(await oidc.getToken()).toBeNull();
});

test('the refresh token brings a new token when the old one has expired or was refused, once for calls at the same time', async () => {
  await using provider = await openidProvider();
  const { oidc, stored } = helperOf(provider.issuer, { signer: { scopes: ['offline_access'] } });
  await oidc.callback(await provider.visit(await oidc.authorizationUrl()));
  const first = await oidc.getToken();
  expect(await oidc.getToken()).toBe(first);
  const [key = ''] = stored.keys();
  const { refreshToken } = JSON.parse(stored.get(key) ?? '');
  stored.set(key, JSON.stringify({ jwt: unsignedJwt('old', Date.now() - 1_000), refreshToken }));
  expect(claimsOf(await oidc.getToken())).toMatchObject({ aud: 'page', sub: 'ada' });
  const both = await Promise.all([oidc.getToken({ reason: 'refused' }), oidc.getToken({ reason: 'expired' })]);
  expect(both[0]).toBe(both[1]);
  // One for the code, and two refreshes.
  expect(provider.seen.filter((request) => request === 'POST /token')).toHaveLength(3);
});

test('a provider that gives the refresh token only once is asked with it again', async () => {
  await using provider = await openidProvider({ rotates: false });
  let isFirst = true;
  const withoutLater: Fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (init?.method !== 'POST') return response;
    const { refresh_token, ...tokens } = (await response.json()) as Record<string, unknown>;
    const body = isFirst ? { ...tokens, refresh_token } : tokens;
    isFirst = false;
    return Response.json(body, { status: response.status });
  };
  const { oidc } = helperOf(provider.issuer, { signer: { scopes: ['offline_access'] }, fetch: withoutLater });
  await oidc.callback(await provider.visit(await oidc.authorizationUrl()));
  for (let left = 2; left > 0; left -= 1) expect(await oidc.getToken({ reason: 'refused' })).not.toBeNull();
});

test('without a refresh token a token that is about to expire is used, and an expired or refused one is not', async () => {
  const { oidc, stored } = helperOf('https://idp.example');
  const keep = (expiresAt: number) => {
    const jwt = unsignedJwt('ada', expiresAt);
    stored.set('edge-oidc https://idp.example page', JSON.stringify({ jwt }));
    return jwt;
  };
  const alive = keep(Date.now() + 60_000);
  expect([await oidc.getToken(), await oidc.getToken({ reason: 'expired' })]).toEqual([alive, alive]);
  expect([await oidc.getToken({ reason: 'refused' }), stored.size]).toEqual([null, 0]);
  keep(Date.now() - 1_000);
  expect([await oidc.getToken(), stored.size]).toEqual([null, 0]);
  stored.set('edge-oidc https://idp.example page', 'damaged');
  expect(await oidc.getToken()).toBeNull();
});

test('a refresh token that the provider no longer accepts sends the person back to it; an outage does not', async () => {
  await using provider = await openidProvider();
  const { oidc, stored } = helperOf(provider.issuer, { signer: { scopes: ['offline_access'] } });
  await oidc.callback(await provider.visit(await oidc.authorizationUrl()));
  provider.intercept((_request, response) => response.destroy());
  expect(isEdgeOidcError(await failure(oidc.getToken({ reason: 'refused' })), 'UNREACHABLE')).toBe(true);
  provider.intercept(null);
  expect(await oidc.getToken({ reason: 'refused' })).not.toBeNull();
  const [key = ''] = stored.keys();
  stored.set(key, JSON.stringify({ ...JSON.parse(stored.get(key) ?? ''), refreshToken: 'unknown' }));
  expect(await oidc.getToken({ reason: 'refused' })).toBeNull();
  expect(stored.size).toBe(0);
});

test('says why the provider refused, and keeps codes and tokens out of errors', async () => {
  await using provider = await openidProvider();
  const { oidc, stored } = helperOf(provider.issuer);
  const denied = await provider.visit(await oidc.authorizationUrl({ prompt: 'consent' }));
  expect(await failure(oidc.callback(denied))).toMatchObject({ code: 'REFUSED', error: 'access_denied' });
  const address = await provider.visit(await oidc.authorizationUrl());
  const code = address.searchParams.get('code') ?? '';
  for (const [key, value] of stored)
    stored.set(key, JSON.stringify({ ...JSON.parse(value), verifier: 'x'.repeat(43) }));
  const refused = await failure(oidc.callback(address));
  expect(refused).toMatchObject({ code: 'REFUSED', error: 'invalid_grant' });
  expect(inspect(refused, { depth: 20, showHidden: true })).not.toContain(code);
});

test('a provider that is away or is another one ends in a typed error, and may be tried again', async () => {
  await using provider = await openidProvider();
  const { oidc } = helperOf(provider.issuer);
  provider.intercept((_request, response) => response.writeHead(500).end());
  expect(await failure(oidc.authorizationUrl())).toMatchObject({ code: 'INVALID_RESPONSE' });
  const other = helperOf(provider.issuer).oidc;
  const metadata = { issuer: provider.issuer, authorization_endpoint: 'http://example.com/auth' };
  const sendMetadata = (change: object) =>
    provider.intercept((_request, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ ...metadata, ...change })),
    );
  sendMetadata({ issuer: 'https://other.example' });
  expect(await failure(oidc.authorizationUrl())).toMatchObject({ code: 'INVALID_RESPONSE' });
  sendMetadata({});
  expect(await failure(other.authorizationUrl())).toMatchObject({ message: expect.stringContaining('secure') });
  provider.intercept(null);
  expect((await oidc.authorizationUrl()).origin).toBe(provider.issuer);
});

test.each([
  ['no address', { externalAuthUrl: null }],
  ['no client', { clientId: undefined }],
  ['plain http to another machine', { externalAuthUrl: 'http://idp.example' }],
  ['no URL', { externalAuthUrl: 'idp.example' }],
])('a signer with %s is not configured', (_name, signer) => {
  expect(() => helperOf('https://idp.example', { signer })).toThrow(
    expect.objectContaining({ name: 'EdgeOidcError', code: 'NOT_CONFIGURED' }),
  );
});
