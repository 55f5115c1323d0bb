import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import type { AuthQueryDetail, EdgeClient, EdgeClientOptions, GetToken } from '@edge-controller/sdk';
import { isEdgeApiError, isEdgeAuthQueryError, isEdgeTokenError } from '@edge-controller/sdk';
import { createEdgeClient } from '@edge-controller/sdk/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addPolicy, addUserUnder, policyRules } from '../support/auth-policies.ts';
import type { TestController } from '../support/controller.ts';
import { startController, storePairs } from '../support/controller.ts';
import type { JwtIssuer } from '../support/jwt-issuer.ts';
import { addIssuer, createJwtIssuer } from '../support/jwt-issuer.ts';
import { readTotp, testTime } from '../support/totp.ts';

const failure = (call: Promise<unknown>) =>
  call.then(
    () => expect.fail('the call succeeded'),
    (error: unknown) => error,
  );

function record(edge: EdgeClient) {
  const events: string[] = [];
  edge.on('session', ({ state }) => events.push(state));
  edge.on('expired', () => events.push('expired'));
  return events;
}

describe.each(storePairs)('external JWTs with the SDK against $stores', ({ open }) => {
  const time = testTime();
  let server: TestController;
  let admin: string;
  let issuer: JwtIssuer;
  let second: JwtIssuer;
  let signerId: string;
  let secondId: string;
  /** Allows external JWTs and passwords, and asks for nothing more. */
  let primaryPolicy: string;
  /** Asks for a JWT of `issuer` as a second factor. */
  let secondaryPolicy: string;

  const clientOf = (options: EdgeClientOptions = {}) =>
    createEdgeClient(server.url, { caFile: server.caFile, retries: 0, ...options });
  const patch = async (path: string, body: object) => {
    const answer = await server.wire('PATCH', `/edge/management/v1/${path}`, { token: admin, body });
    expect(answer.status, answer.text).toBe(200);
  };
  const addPerson = async (authPolicyId: string) => {
    const { id, ...credentials } = await addUserUnder(server, admin, { authPolicyId });
    const sub = randomUUID();
    await patch(`identities/${id}`, { externalId: sub });
    return { id, sub, credentials };
  };
  /** A source of JWTs that live for five minutes by the clock of the controller, and why it was asked. */
  const sourceOf = (sub: string, from: JwtIssuer = issuer) => {
    const reasons: string[] = [];
    const issued: string[] = [];
    const getToken: GetToken = ({ reason }) => {
      reasons.push(reason);
      const now = Math.floor(time.clock() / 1_000);
      const jwt = from.sign({ sub, iat: now, exp: now + 300, jti: randomUUID() });
      issued.push(jwt);
      return jwt;
    };
    return { getToken, reasons, issued };
  };

  beforeAll(async () => {
    server = await startController({ ...(await open()), clock: time.clock });
    admin = await server.signIn();
    [issuer, second] = [await createJwtIssuer(), await createJwtIssuer('RS256')];
    const login = { externalAuthUrl: 'https://login.example/', clientId: 'edge-app', scopes: ['openid', 'email'] };
    [signerId, secondId] = [await addIssuer(server, admin, issuer, login), await addIssuer(server, admin, second)];
    const primary = { ...policyRules.primary, extJwt: { allowed: true, allowedSigners: [] } };
    primaryPolicy = await addPolicy(server, admin, { name: 'primary', primary });
    const secondary = { requireTotp: false, requireExtJwtSigner: signerId };
    secondaryPolicy = await addPolicy(server, admin, { name: 'secondary', primary, secondary });
  });
  afterAll(async () => {
    await issuer[Symbol.asyncDispose]();
    await second[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  it('signs in with a JWT, and says why another one is refused', async () => {
    const { id, sub } = await addPerson(primaryPolicy);
    const edge = clientOf();
    const { getToken, reasons } = sourceOf(sub);
    expect(await edge.signIn.extJwt({ getToken })).toMatchObject({ state: 'full', identity: { id } });
    expect((await edge.client.currentIdentity.get()).externalId).toBe(sub);
    expect(reasons).toEqual(['needed']);
    await edge.signOut();

    const outsider = issuer.sign({ sub: randomUUID() });
    const refused = await failure(edge.signIn.extJwt({ token: outsider }));
    expect(isEdgeApiError(refused, 'UNAUTHORIZED') && refused.challenge).toMatchObject({
      error: 'missing',
      signers: expect.arrayContaining([{ id: signerId, issuer: issuer.issuer }]),
    });
    expect(inspect(refused, { depth: 20, showHidden: true })).not.toContain(outsider);
    const forged = `${issuer.sign({ sub }).slice(0, -8)}AAAAAAAA`;
    expect(await failure(edge.signIn.extJwt({ token: forged }))).toMatchObject({ challenge: { error: 'invalid' } });
    expect(edge.session).toBeNull();
  });

  it('enrolls with a JWT and signs in with it', async () => {
    const enrolls = { enrollToTokenEnabled: true, enrollAuthPolicyId: primaryPolicy };
    await patch(`external-jwt-signers/${secondId}`, enrolls);
    const sub = randomUUID();
    const token = second.sign({ sub });
    const edge = clientOf();
    const headers = { authorization: `Bearer ${token}` };
    expect(await edge.client.enroll.token(headers)).toEqual({});
    expect(await edge.signIn.extJwt({ token })).toMatchObject({ state: 'full', identity: { name: sub } });
    const again = await failure(edge.client.enroll.token(headers, {}));
    expect(isEdgeApiError(again, 'ENROLLMENT_IDENTITY_ALREADY_ENROLLED')).toBe(true);
  });

  it('asks once more when the JWT of the sign-in has expired', async () => {
    const { sub } = await addPerson(primaryPolicy);
    const { getToken, reasons } = sourceOf(sub);
    const old = issuer.sign({ sub, exp: Math.floor(time.clock() / 1_000) - 60 });
    const session = await clientOf().signIn.extJwt({
      getToken: (request) => (request.reason === 'needed' ? old : getToken(request)),
    });
    expect([session.state, reasons]).toEqual(['full', ['expired']]);
  });

  it('sends the second factor with every request, and another one when it expires while calls run', async () => {
    const { credentials, sub } = await addPerson(secondaryPolicy);
    const { getToken, reasons } = sourceOf(sub);
    const edge = clientOf({ secondaryToken: { getToken, signer: signerId }, onAuthQuery: () => expect.fail('asked') });
    const events = record(edge);
    expect((await edge.signIn.password(credentials)).state).toBe('full');
    const work = Array.from({ length: 20 }, async (_none, at) => {
      for (let round = 0; round < 5; round += 1) {
        if (at === 0 && round === 2) await time.pass(400_000);
        expect((await edge.client.currentIdentity.get()).externalId).toBe(sub);
      }
    });
    await Promise.all(work);
    expect((await edge.fetch(`${server.url}/edge/client/v1/current-identity`)).status).toBe(200);
    expect([reasons, events]).toEqual([['needed', 'refused'], ['full']]);
    await edge.signOut();
  });

  it('asks for a JWT again when the session has ended, once for all calls', async () => {
    const { credentials, sub } = await addPerson(secondaryPolicy);
    const [primary, secondary] = [sourceOf(sub), sourceOf(sub)];
    const edge: EdgeClient = clientOf({
      secondaryToken: { getToken: secondary.getToken },
      reauthenticate: () => edge.signIn.extJwt({ getToken: primary.getToken }),
    });
    const { id } = await edge.signIn.password(credentials);
    const ended = await server.wire('DELETE', `/edge/management/v1/api-sessions/${id}`, { token: admin });
    expect(ended.status).toBe(200);
    await Promise.all(Array.from({ length: 20 }, () => edge.client.currentIdentity.get()));
    expect([primary.reasons, secondary.reasons]).toEqual([['needed'], ['needed']]);
    expect(edge.session?.id).not.toBe(id);
  });

  it('sends JWTs of two signers in one request, and one JWT for both roles', async () => {
    const { sub } = await addPerson(secondaryPolicy);
    const [own, other] = [sourceOf(sub), sourceOf(sub, second)];
    const edge = clientOf({ secondaryToken: { getToken: own.getToken } });
    expect((await edge.signIn.extJwt({ getToken: other.getToken })).state).toBe('full');
    const authenticator = (await edge.client.currentApiSession.get()).authenticatorId;
    expect(authenticator).toBe(`extJwtId:${secondId}`);
    const [token = ''] = own.issued;
    const both = clientOf({ secondaryToken: { getToken: () => token } });
    expect((await both.signIn.extJwt({ token })).state).toBe('full');
    await both.client.currentIdentity.get();
    expect((await clientOf().signIn.extJwt({ token })).state).toBe('full');
  });

  it('gives the handler what it needs to send the person to the provider, beside other queries', async () => {
    const secondary = { requireTotp: true, requireExtJwtSigner: signerId };
    const authPolicyId = await addPolicy(server, admin, { name: 'all factors', secondary });
    const { credentials, sub } = await addPerson(authPolicyId);
    const outsider = await addPerson(secondaryPolicy);
    const asked: AuthQueryDetail[] = [];
    const edge = clientOf({
      async onAuthQuery(query, answer) {
        asked.push(query);
        if (query.typeId === 'MFA') {
          const { provisioningUrl, verify } = await edge.mfa.enroll();
          await verify(await readTotp(provisioningUrl, time).next());
          return;
        }
        const refused = await failure(answer.extJwt(issuer.sign({ sub: outsider.sub })));
        expect(isEdgeTokenError(refused, 'REFUSED')).toBe(true);
        await answer.extJwt(sourceOf(sub).getToken);
      },
    });
    const events = record(edge);
    expect((await edge.signIn.password(credentials)).state).toBe('full');
    expect(asked.map(({ typeId }) => typeId)).toEqual(['MFA', 'EXT-JWT']);
    expect(asked[1]).toEqual({
      ...{ typeId: 'EXT-JWT', provider: 'url', id: signerId, httpUrl: 'https://login.example/' },
      ...{ clientId: 'edge-app', scopes: ['email', 'openid'] },
    });
    await time.pass(400_000);
    await edge.client.currentIdentity.get();
    expect([events, edge.session?.state]).toEqual([['full'], 'full']);
  });

  it('is partial while the signer is disabled, and full again afterwards', async () => {
    const { credentials, sub } = await addPerson(secondaryPolicy);
    const edge = clientOf({ secondaryToken: { getToken: sourceOf(sub).getToken } });
    const events = record(edge);
    await edge.signIn.password(credentials);
    await patch(`external-jwt-signers/${signerId}`, { enabled: false });
    expect(isEdgeAuthQueryError(await failure(edge.client.currentIdentity.get()), 'OUTSTANDING')).toBe(true);
    const { sub: other } = await addPerson(primaryPolicy);
    const refused = await failure(clientOf().signIn.extJwt({ getToken: sourceOf(other).getToken }));
    expect(refused).toMatchObject({ code: 'UNAUTHORIZED', challenge: { error: 'missing' } });
    await patch(`external-jwt-signers/${signerId}`, { enabled: true });
    await edge.client.currentApiSession.get();
    expect((await edge.client.currentIdentity.get()).externalId).toBe(sub);
    expect(events).toEqual(['full', 'partial', 'full']);
  });

  it('lists all enabled signers without a session, with what a person needs to get a JWT', async () => {
    await using more = await createJwtIssuer();
    const ids: string[] = [];
    for (let at = 0; at < 105; at += 1) {
      const name = `${more.issuer}/${at}`;
      ids.push(await addIssuer(server, admin, more, { name, issuer: name, enabled: at > 0 }));
    }
    const signers = await clientOf().signers();
    expect(signers.find(({ id }) => id === signerId)).toMatchObject({
      ...{ name: issuer.issuer, externalAuthUrl: 'https://login.example/', clientId: 'edge-app' },
      ...{ audience: issuer.audience, scopes: ['email', 'openid'], targetToken: 'ACCESS' },
    });
    expect(new Set(signers.map(({ id }) => id))).toEqual(new Set([signerId, secondId, ...ids.slice(1)]));
  });
});
