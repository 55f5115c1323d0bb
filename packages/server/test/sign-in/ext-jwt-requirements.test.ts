import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addPolicy, addUserUnder, policyRules } from '../support/auth-policies.ts';
import { addIdentity } from '../support/certificate-users.ts';
import type { TestController } from '../support/controller.ts';
import { startController, storePairs } from '../support/controller.ts';
import { addSigner, signerBody, signersPath } from '../support/external-jwt-signers.ts';
import type { JwtIssuer } from '../support/jwt-issuer.ts';
import { addIssuer, bearer, createJwtIssuer, jwtSignIn } from '../support/jwt-issuer.ts';

const passwordSignIn = jwtSignIn.replace('ext-jwt', 'password');
const identities = '/edge/management/v1/identities';

describe.each(storePairs)('what a signer asks of a JWT, on $stores', ({ open }) => {
  let server: TestController;
  let admin: string;
  let issuer: JwtIssuer;
  let signerId: string;
  let policyId: string;
  const clock = { now: Date.now() };

  const patch = async (path: string, body: object, status = 200) => {
    const answer = await server.wire('PATCH', path, { token: admin, body });
    expect(answer.status, answer.text).toBe(status);
  };
  const ask = (members: object) => patch(`${signersPath}/${signerId}`, members);
  const addUser = async (members: object = {}) => {
    const sub = randomUUID();
    const id = await addIdentity(server, admin, { externalId: sub, authPolicyId: policyId, ...members });
    return { sub, id };
  };
  const signIn = (jwt: string) => server.wire('POST', jwtSignIn, { body: {}, headers: bearer(jwt) });
  const seconds = () => Math.floor(clock.now / 1_000);
  /** The check that a sign-in fails, as its refusal and the test operation say it. `undefined`: it is accepted. */
  const failed = async (claims: Record<string, unknown>, header: object = {}): Promise<string | undefined> => {
    const jwt = issuer.sign(claims, header);
    const answer = await signIn(jwt);
    const tested = await server.wire('POST', `${signersPath}/${signerId}/test`, { token: admin, body: { token: jwt } });
    const { checks, isAccepted } = tested.body.data;
    expect(isAccepted).toBe(answer.status === 200);
    const failure = checks.find(({ passed }: { passed: boolean }) => !passed);
    if (failure) expect(answer.body.error.cause.reason).toBe(`${failure.check}: expected ${failure.expected}`);
    return failure?.check;
  };

  beforeAll(async () => {
    server = await startController({ ...(await open()), clock: () => clock.now });
    admin = await server.signIn();
    issuer = await createJwtIssuer();
    signerId = await addIssuer(server, admin, issuer);
    const primary = { ...policyRules.primary, extJwt: { allowed: true, allowedSigners: [] } };
    policyId = await addPolicy(server, admin, { name: 'tokens', primary });
  });
  afterAll(async () => {
    await issuer[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  it('acr is one of those that it accepts', async () => {
    const { sub } = await addUser();
    expect(await failed({ sub })).toBeUndefined();
    await ask({ requiredAcr: ['gold', 'silver'] });
    for (const acr of [undefined, null, '', 'bronze', 'Gold', ['gold'], 1, 'x'.repeat(2_000)])
      expect(await failed({ sub, acr })).toBe('acr');
    for (const acr of ['gold', 'silver']) expect(await failed({ sub, acr })).toBeUndefined();
    await ask({ requiredAcr: [] });
    expect(await failed({ sub })).toBeUndefined();
  });

  it('amr has all methods that it asks for', async () => {
    const { sub } = await addUser();
    await ask({ requiredAmr: ['pwd', 'otp'] });
    const many = Array.from({ length: 500 }, () => 'pwd');
    for (const amr of [
      undefined,
      null,
      'pwd otp',
      [],
      ['pwd'],
      ['OTP', 'pwd'],
      [['pwd', 'otp']],
      { pwd: 1, otp: 1 },
      many,
    ])
      expect(await failed({ sub, amr })).toBe('amr');
    expect(await failed({ sub, amr: ['otp', 'mfa', 'pwd'] })).toBeUndefined();
    await ask({ requiredAmr: [] });
    expect(await failed({ sub })).toBeUndefined();
  });

  it('auth_time is recent, and not in the future', async () => {
    const { sub } = await addUser();
    await ask({ maxAuthAgeMinutes: 10 });
    const now = seconds();
    // The clocks of both may differ by 30 seconds.
    for (const auth_time of [undefined, null, String(now), [now], now - 631, now + 31, -1, 1e300])
      expect(await failed({ sub, auth_time })).toBe('authTime');
    for (const auth_time of [now, now + 29, now - 600.5, now - 629])
      expect(await failed({ sub, auth_time })).toBeUndefined();
    await ask({ maxAuthAgeMinutes: 0 });
    expect(await failed({ sub })).toBeUndefined();
  });

  it('it is no ID token where an access token is asked for, and the reverse', async () => {
    const { sub } = await addUser();
    for (const claims of [{ nonce: 'n' }, { at_hash: 'h' }, { c_hash: 'h' }, { typ: 'ID' }])
      expect(await failed({ sub, ...claims })).toBe('tokenKind');
    const accepted = [{ nonce: 'n', scope: 'openid' }, { typ: 'Bearer' }, {}];
    for (const claims of accepted) expect(await failed({ sub, ...claims })).toBeUndefined();
    await ask({ targetToken: 'ID' });
    expect(await failed({ sub }, { typ: 'at+jwt' })).toBe('tokenKind');
    expect(await failed({ sub, scope: 'openid' })).toBe('tokenKind');
    for (const claims of [{ nonce: 'n', at_hash: 'h' }, {}]) expect(await failed({ sub, ...claims })).toBeUndefined();
    await ask({ targetToken: 'ACCESS' });
  });

  it('holds for a JWT that is a second factor, at every request', async () => {
    const secondary = { requireTotp: false, requireExtJwtSigner: signerId };
    const authPolicyId = await addPolicy(server, admin, { name: 'both', secondary });
    const { id, ...credentials } = await addUserUnder(server, admin, { authPolicyId });
    const sub = randomUUID();
    await patch(`${identities}/${id}`, { externalId: sub });
    await ask({ maxAuthAgeMinutes: 10, requiredAmr: ['otp'] });
    const jwt = issuer.sign({ sub, amr: ['otp'], auth_time: seconds() });
    const { token } = (await server.wire('POST', passwordSignIn, { body: credentials })).body.data;
    const get = async (with_: string) =>
      (await server.wire('GET', '/edge/client/v1/current-identity', { token, headers: bearer(with_) })).status;
    expect(await get(jwt)).toBe(200);
    expect(await get(issuer.sign({ sub, auth_time: seconds() }))).toBe(401);
    clock.now += 4 * 60_000;
    expect(await get(jwt)).toBe(200);
    clock.now += 7 * 60_000;
    expect(await get(issuer.sign({ sub, amr: ['otp'], auth_time: seconds() - 660, exp: seconds() + 60 }))).toBe(401);
    await ask({ maxAuthAgeMinutes: 0, requiredAmr: [] });
    const body = { requireTotp: false, requireExtJwtSigner: '' };
    await patch(`/edge/management/v1/auth-policies/${authPolicyId}`, { secondary: body });
  });

  it('is shown only when it is set, and refused when it is no such thing', async () => {
    const shown = async () => {
      const { data } = (await server.wire('GET', `${signersPath}/${signerId}`, { token: admin })).body;
      return [data.requiredAcr, data.requiredAmr, data.maxAuthAgeMinutes];
    };
    expect(await shown()).toEqual([undefined, undefined, undefined]);
    await ask({ requiredAcr: ['b', 'a', 'b'], requiredAmr: ['otp'], maxAuthAgeMinutes: 1 });
    expect(await shown()).toEqual([['a', 'b'], ['otp'], 1]);
    for (const bad of [
      { requiredAcr: 'gold' },
      { requiredAmr: [1] },
      { maxAuthAgeMinutes: -1 },
      { maxAuthAgeMinutes: 1.5 },
    ])
      await patch(`${signersPath}/${signerId}`, bad, 400);
    const many = Array.from({ length: 21 }, (_, index) => `method ${index}`);
    await patch(`${signersPath}/${signerId}`, { requiredAmr: many }, 400);
    await ask({ requiredAcr: [], requiredAmr: [], maxAuthAgeMinutes: 0 });
    expect(await shown()).toEqual([undefined, undefined, undefined]);
  });
});

describe.each(storePairs)('an external id that is bound to a signer, on $stores', ({ open }) => {
  it('signs nobody in by another signer, and ends what another one has signed in', async () => {
    await using server = await startController(await open());
    const admin = await server.signIn();
    await using own = await createJwtIssuer();
    await using other = await createJwtIssuer();
    const ownId = await addIssuer(server, admin, own);
    await addIssuer(server, admin, other);
    const primary = { ...policyRules.primary, extJwt: { allowed: true, allowedSigners: [] } };
    const authPolicyId = await addPolicy(server, admin, { name: 'tokens', primary });
    const sub = randomUUID();
    const id = await addIdentity(server, admin, { externalId: sub, authPolicyId });
    const path = `${identities}/${id}`;
    const bind = async (externalIdSignerId: string) =>
      (await server.wire('PATCH', path, { token: admin, body: { externalIdSignerId } })).status;
    const signIn = (issuer: JwtIssuer) =>
      server.wire('POST', jwtSignIn, { body: {}, headers: bearer(issuer.sign({ sub })) });

    const before = (await signIn(other)).body.data.token;
    expect(await bind(ownId)).toBe(200);
    expect((await signIn(other)).status).toBe(401);
    expect((await signIn(own)).status).toBe(200);
    expect((await server.wire('GET', '/edge/client/v1/current-identity', { token: before })).status).toBe(401);
    const detail = (await server.wire('GET', path, { token: admin })).body.data;
    expect(detail).toMatchObject({ externalIdSignerId: ownId, externalIdSigner: { id: ownId } });

    expect(await bind('nobody')).toBe(404);
    const gone = await server.wire('DELETE', `${signersPath}/${ownId}`, { token: admin });
    expect([gone.status, gone.body.error.cause]).toMatchObject([
      409,
      { field: 'externalIdSignerId', value: `[${id}]` },
    ]);
    expect(await bind('')).toBe(200);
    expect((await signIn(other)).status).toBe(200);
    expect((await server.wire('GET', path, { token: admin })).body.data.externalIdSignerId).toBeUndefined();
    expect((await server.wire('DELETE', `${signersPath}/${ownId}`, { token: admin })).status).toBe(200);
  });

  it('is no second factor by another signer, which the policy requires', async () => {
    await using server = await startController(await open());
    const admin = await server.signIn();
    await using issuer = await createJwtIssuer();
    const signerId = await addIssuer(server, admin, issuer);
    const elsewhere = await addSigner(server, admin, signerBody());
    const secondary = { requireTotp: false, requireExtJwtSigner: signerId };
    const authPolicyId = await addPolicy(server, admin, { name: 'both', secondary });
    const { id, ...credentials } = await addUserUnder(server, admin, { authPolicyId });
    const sub = randomUUID();
    const { token } = (await server.wire('POST', passwordSignIn, { body: credentials })).body.data;
    const headers = bearer(issuer.sign({ sub }));
    const get = async () => (await server.wire('GET', '/edge/client/v1/current-identity', { token, headers })).status;
    for (const [externalIdSignerId, status] of [
      ['', 200],
      [elsewhere, 401],
      [signerId, 200],
    ] as const) {
      const body = { externalId: sub, externalIdSignerId };
      expect((await server.wire('PATCH', `${identities}/${id}`, { token: admin, body })).status).toBe(200);
      expect(await get()).toBe(status);
    }
  });
});
