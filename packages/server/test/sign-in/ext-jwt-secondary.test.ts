import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addPolicy, addUserUnder, policyRules } from '../support/auth-policies.ts';
import type { TestController } from '../support/controller.ts';
import { startController, storePairs } from '../support/controller.ts';
import { signersPath } from '../support/external-jwt-signers.ts';
import type { JwtIssuer } from '../support/jwt-issuer.ts';
import { addIssuer, bearer, createJwtIssuer, jwtSignIn } from '../support/jwt-issuer.ts';

const passwordSignIn = jwtSignIn.replace('ext-jwt', 'password');

describe.each(storePairs)('a secondary JWT on $stores', ({ open }) => {
  let server: TestController;
  let admin: string;
  let issuer: JwtIssuer;
  let signerId: string;
  let policyId: string;
  let query: object;

  const addUser = async () => {
    const { id, ...credentials } = await addUserUnder(server, admin, { authPolicyId: policyId });
    const externalId = randomUUID();
    await patch(`/edge/management/v1/identities/${id}`, { externalId });
    return { id, credentials, externalId };
  };
  const patch = async (path: string, body: object) => {
    const answer = await server.wire('PATCH', path, { token: admin, body });
    expect(answer.status, answer.text).toBe(200);
  };
  const signIn = (credentials: object, ...tokens: string[]) =>
    server.wire('POST', passwordSignIn, { body: credentials, headers: tokens.length > 0 ? bearer(...tokens) : {} });
  const get = (path: string, token: string, ...tokens: string[]) =>
    server.wire('GET', `/edge/client/v1/${path}`, { token, headers: tokens.length > 0 ? bearer(...tokens) : {} });
  const queriesOf = async (token: string, ...tokens: string[]) =>
    (await get('current-api-session', token, ...tokens)).body.data?.authQueries;

  beforeAll(async () => {
    server = await startController(await open());
    admin = await server.signIn();
    issuer = await createJwtIssuer();
    const login = { externalAuthUrl: 'https://login.example/', clientId: 'edge-app', scopes: ['openid', 'email'] };
    signerId = await addIssuer(server, admin, issuer, login);
    const secondary = { requireTotp: false, requireExtJwtSigner: signerId };
    policyId = await addPolicy(server, admin, { name: 'both', secondary });
    query = {
      ...{ typeId: 'EXT-JWT', provider: 'url', id: signerId },
      ...{ httpUrl: 'https://login.example/', clientId: 'edge-app', scopes: ['email', 'openid'] },
    };
  });
  afterAll(async () => {
    await issuer[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  it('is asked for at the sign-in and at every request that lacks it', async () => {
    const { credentials, externalId: sub } = await addUser();
    const jwt = issuer.sign({ sub });
    const partial = await signIn(credentials);
    expect([partial.status, partial.body.data.authQueries]).toEqual([200, [query]]);
    expect(partial.headers['www-authenticate']).toBe(
      'Bearer realm="openziti-secondary-ext-jwt" error="missing" error_description="no matching token was provided"' +
        ` id="${signerId}" issuer="${issuer.issuer}"`,
    );
    const { token } = partial.body.data;
    const refused = await get('current-identity', token);
    expect([refused.status, refused.headers['www-authenticate']]).toEqual([401, undefined]);
    expect((await get('current-identity', token, jwt)).status).toBe(200);
    expect(await queriesOf(token, jwt)).toEqual([]);
    expect(await queriesOf(token)).toEqual([query]);
    const onManagement = async (headers: Record<string, string>) => {
      const answer = await server.wire('GET', '/edge/management/v1/current-identity', { token, headers });
      return answer.status;
    };
    expect([await onManagement({}), await onManagement(bearer(jwt)), await onManagement({})]).toEqual([401, 200, 401]);
    const full = await signIn(credentials, jwt);
    expect([full.body.data.authQueries, full.headers['www-authenticate']]).toEqual([[], undefined]);
    expect(await queriesOf(full.body.data.token)).toEqual([query]);
  });

  it('is one of several tokens, of its signer, in time and of the same identity', async () => {
    await using other = await createJwtIssuer();
    await addIssuer(server, admin, other);
    const { credentials, externalId: sub, id } = await addUser();
    const somebody = await addUser();
    const now = Math.floor(Date.now() / 1_000);
    const jwt = issuer.sign({ sub });
    const { token } = (await signIn(credentials)).body.data;
    for (const tokens of [
      ['abc', jwt],
      [other.sign({ sub }), jwt],
      [issuer.sign({ sub, exp: 1 }), jwt],
    ]) {
      expect(await queriesOf(token, ...tokens)).toEqual([]);
    }
    const separate = await server.wire('GET', '/edge/client/v1/current-api-session', {
      token,
      headers: { Authorization: ['Bearer abc', `Bearer ${jwt}`] as never },
    });
    expect(separate.body.data.authQueries).toEqual([]);
    const refused: [string, string, string][] = [
      ['of another signer', other.sign({ sub }), 'missing'],
      ['of somebody else', issuer.sign({ sub: somebody.externalId }), 'missing'],
      ['with the id as claim', issuer.sign({ sub: id }), 'missing'],
      ['expired', issuer.sign({ sub, exp: now - 31 }), 'expired'],
      ['for another audience', issuer.sign({ sub, aud: 'x' }), 'invalid'],
      ['malformed', 'abc', 'missing'],
      ['the session token', token, 'missing'],
    ];
    for (const [what, wrong, error] of refused) {
      expect(await queriesOf(token, wrong), what).toEqual([query]);
      const again = await signIn(credentials, wrong);
      expect(again.body.data.authQueries, what).toEqual([query]);
      expect(again.headers['www-authenticate'], what).toContain(`error="${error}"`);
    }
    expect(await queriesOf(token, 'a', 'b', 'c', jwt)).toEqual([query]);
  });

  it('may be the same token as the primary one', async () => {
    const primary = { ...policyRules.primary, extJwt: { allowed: true, allowedSigners: [] } };
    const secondary = { requireTotp: false, requireExtJwtSigner: signerId };
    const authPolicyId = await addPolicy(server, admin, { name: 'same', primary, secondary });
    const { id, externalId: sub } = await addUser();
    await patch(`/edge/management/v1/identities/${id}`, { authPolicyId });
    const headers = bearer(issuer.sign({ sub }));
    const answer = await server.wire('POST', jwtSignIn, { body: {}, headers });
    expect([answer.status, answer.body.data.authQueries]).toEqual([200, []]);
  });

  it('counts by the signer and the identity as they are now', async () => {
    const { id, credentials, externalId: sub } = await addUser();
    const jwt = issuer.sign({ sub });
    const { token } = (await signIn(credentials, jwt)).body.data;
    const isFull = async () => (await queriesOf(token, jwt)).length === 0;
    expect(await isFull()).toBe(true);
    for (const change of [{ enabled: false }, { audience: 'another' }, { issuer: 'https://else.example' }]) {
      await patch(`${signersPath}/${signerId}`, change);
      expect(await queriesOf(token, jwt), JSON.stringify(change)).toEqual([query]);
      await patch(`${signersPath}/${signerId}`, { enabled: true, audience: 'edge', issuer: issuer.issuer });
      expect(await isFull()).toBe(true);
    }
    await patch(`/edge/management/v1/identities/${id}`, { externalId: `other ${sub}` });
    expect(await isFull()).toBe(false);
    await patch(`/edge/management/v1/identities/${id}`, { externalId: sub });
    expect(await isFull()).toBe(true);
    await patch(`/edge/management/v1/auth-policies/${policyId}`, { secondary: { requireExtJwtSigner: '' } });
    expect(await queriesOf(token)).toEqual([]);
    await patch(`/edge/management/v1/auth-policies/${policyId}`, { secondary: { requireExtJwtSigner: signerId } });
    expect(await queriesOf(token)).toEqual([query]);
  });

  it('reaches a session whose signer is not required without being checked', async () => {
    const token = await server.signIn();
    for (const jwt of ['abc', issuer.sign({ sub: 'x', exp: 1 })]) {
      expect((await get('current-identity', token, jwt)).status).toBe(200);
    }
  });
});

describe('a bearer token without an API session', () => {
  it('is no credential: the challenge says whether it is a JWT at all', async () => {
    await using server = await startController();
    await using issuer = await createJwtIssuer();
    const challenge = async (headers: Record<string, string>) => {
      const answer = await server.wire('GET', '/edge/client/v1/current-identity', { headers });
      expect(answer.status).toBe(401);
      return answer.headers['www-authenticate'];
    };
    const missing = 'error="missing" error_description="no matching token was provided"';
    const both = `svc-session realm="svc-session" ${missing},Bearer realm="openziti-oidc" ${missing}`;
    expect(await challenge({})).toBe(both);
    expect(await challenge(bearer(issuer.sign()))).toBe(both);
    const malformed = 'Bearer realm="openziti-oidc" error="invalid" error_description="token is invalid"';
    expect(await challenge(bearer('abc'))).toBe(malformed);
    expect(await challenge({ ...bearer('abc'), 'svc-session': '' })).toBe(malformed);
    expect(await challenge({ ...bearer(issuer.sign()), 'svc-session': 'unknown' })).toBe(
      'svc-session realm="svc-session" error="invalid" error_description="token is invalid"',
    );
  });
});
