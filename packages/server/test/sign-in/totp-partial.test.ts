import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addPolicy, addUserUnder, requireTotp } from '../support/auth-policies.ts';
import type { TestController } from '../support/controller.ts';
import { startController, storePairs } from '../support/controller.ts';
import type { JwtIssuer } from '../support/jwt-issuer.ts';
import { addIssuer, bearer, createJwtIssuer, jwtSignIn } from '../support/jwt-issuer.ts';
import type { Authenticator } from '../support/totp.ts';
import { readTotp, testTime, totpPaths } from '../support/totp.ts';

const passwordSignIn = jwtSignIn.replace('ext-jwt', 'password');
const { mfa, verify, qrCode, recoveryCodes, answer } = totpPaths('client');

describe.each(storePairs)('TOTP in partial sessions on $stores', ({ open }) => {
  const time = testTime();
  let server: TestController;
  let admin: string;
  let issuer: JwtIssuer;
  let signerId: string;

  beforeAll(async () => {
    server = await startController({ ...(await open()), clock: time.clock });
    admin = await server.signIn();
    issuer = await createJwtIssuer();
    signerId = await addIssuer(server, admin, issuer);
  });
  afterAll(async () => {
    await issuer[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  /** A user whose auth policy requires a JWT and perhaps TOTP, with a session of the password. */
  async function addPerson({ needsTotp }: { needsTotp: boolean }) {
    const secondary = { requireTotp: needsTotp, requireExtJwtSigner: signerId };
    const policyId = await addPolicy(server, admin, { name: randomUUID(), secondary });
    const { id, ...credentials } = await addUserUnder(server, admin, { authPolicyId: policyId });
    const sub = randomUUID();
    await server.wire('PATCH', `/edge/management/v1/identities/${id}`, { token: admin, body: { externalId: sub } });
    const signIn = async (): Promise<string> =>
      (await server.wire('POST', passwordSignIn, { body: credentials })).body.data.token;
    const jwt = () => {
      const now = Math.floor(time.now() / 1_000);
      return issuer.sign({ sub, iat: now, exp: now + 300 });
    };
    return { policyId, jwt, signIn };
  }
  type Person = Awaited<ReturnType<typeof addPerson>>;

  /** Sends requests of one session, with and without the JWT. */
  function callsOf(token: string, { jwt }: Pick<Person, 'jwt'>) {
    const send = (headers: Record<string, string>) => (method: string, path: string, body?: object) =>
      server.wire(method, path, { token, headers, ...(body && { body }) });
    return {
      withJwt: (...call: Parameters<ReturnType<typeof send>>) => send(bearer(jwt()))(...call),
      without: send({}),
    };
  }
  type Send = ReturnType<typeof callsOf>['without'];

  const outcomesOf = async (send: Send, code: string) => ({
    create: (await send('POST', mfa)).status,
    get: (await send('GET', mfa)).status,
    qrCode: (await send('GET', qrCode)).status,
    verify: (await send('POST', verify, { code })).status,
    answer: (await send('POST', answer, { code })).status,
    delete: (await send('DELETE', mfa)).status,
    recoveryCodes: (await send('GET', recoveryCodes)).status,
    createRecoveryCodes: (await send('POST', recoveryCodes, { code })).status,
  });
  const closed = { delete: 401, recoveryCodes: 401, createRecoveryCodes: 401 };

  async function begin(send: Send): Promise<Authenticator> {
    expect((await send('POST', mfa)).status).toBe(201);
    const { provisioningUrl } = (await send('GET', mfa)).body.data;
    return readTotp(provisioningUrl, time);
  }
  async function enroll(send: Send): Promise<Authenticator> {
    const totp = await begin(send);
    expect((await send('POST', verify, { code: await totp.next() })).status).toBe(200);
    return totp;
  }

  it('cannot be enrolled with the password alone when only the JWT is missing', async () => {
    const person = await addPerson({ needsTotp: false });
    const thief = callsOf(await person.signIn(), person);
    const none = { create: 401, get: 404, qrCode: 404, verify: 404, answer: 409, ...closed };
    expect(await outcomesOf(thief.without, '123456')).toEqual(none);
    const refused = await thief.without('POST', mfa);
    expect([refused.body.error.code, refused.headers['www-authenticate']]).toEqual(['UNAUTHORIZED', undefined]);
    // The owner gets in as before.
    const owner = callsOf(await person.signIn(), person);
    expect((await owner.withJwt('GET', '/edge/client/v1/current-identity')).status).toBe(200);
    await enroll(owner.withJwt);
  });

  it('that was begun with the JWT is neither shown nor verified without it', async () => {
    const person = await addPerson({ needsTotp: false });
    const { withJwt, without } = callsOf(await person.signIn(), person);
    const totp = await begin(withJwt);
    const begun = { create: 401, get: 401, qrCode: 401, verify: 401, answer: 409, ...closed };
    expect(await outcomesOf(without, await totp.next())).toEqual(begun);
    expect((await without('GET', mfa)).text).not.toContain('otpauth');
    expect((await withJwt('GET', qrCode)).status).toBe(200);
    expect((await withJwt('POST', verify, { code: await totp.next() })).status).toBe(200);
  });

  it('is enrolled where the policy requires one, and no second one follows', async () => {
    const person = await addPerson({ needsTotp: true });
    const { withJwt, without } = callsOf(await person.signIn(), person);
    const totp = await enroll(without);
    const proven = { create: 409, get: 200, qrCode: 404, verify: 404, answer: 200, ...closed };
    expect(await outcomesOf(without, await totp.next())).toEqual(proven);
    expect((await without('GET', mfa)).body.data).toMatchObject({ isVerified: true, recoveryCodes: null });
    expect((await withJwt('GET', '/edge/client/v1/current-identity')).status).toBe(200);
    // Another session has neither factor.
    const other = callsOf(await person.signIn(), person);
    for (const send of [other.without, other.withJwt]) {
      expect(await outcomesOf(send, '12345')).toEqual({ ...proven, answer: 400 });
    }
    expect((await other.without('POST', answer, { code: await totp.next() })).status).toBe(200);
    expect((await other.without('GET', '/edge/client/v1/current-identity')).status).toBe(401);
    expect((await other.withJwt('GET', '/edge/client/v1/current-identity')).status).toBe(200);
  });

  it('is not enrolled, removed or read without the JWT when there is one already', async () => {
    const person = await addPerson({ needsTotp: false });
    const { withJwt, without } = callsOf(await person.signIn(), person);
    const totp = await enroll(withJwt);
    const proven = { create: 409, get: 200, qrCode: 404, verify: 404, answer: 200, ...closed };
    expect(await outcomesOf(without, await totp.next())).toEqual(proven);
    const headers = { ...bearer(person.jwt()), 'mfa-validation-code': await totp.next() };
    const token = await person.signIn();
    await server.wire('POST', answer, { token, body: { code: await totp.next() } });
    expect((await server.wire('DELETE', mfa, { token, headers })).status).toBe(400);
    const removed = { ...headers, 'mfa-validation-code': await totp.next() };
    expect((await server.wire('DELETE', mfa, { token, headers: removed })).status).toBe(200);
    expect((await without('POST', mfa)).status).toBe(401);
  });

  it('that the policy required is not verified when it does not require it any more', async () => {
    const person = await addPerson({ needsTotp: true });
    const { withJwt, without } = callsOf(await person.signIn(), person);
    const totp = await begin(without);
    await requireTotp(server, admin, { id: person.policyId, isRequired: false });
    expect((await without('POST', verify, { code: await totp.next() })).status).toBe(401);
    expect((await without('GET', mfa)).status).toBe(401);
    expect((await withJwt('POST', verify, { code: await totp.next() })).status).toBe(200);
  });
});
