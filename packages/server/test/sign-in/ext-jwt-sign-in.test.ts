import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addPolicy } from '../support/auth-policies.ts';
import { addIdentity } from '../support/certificate-users.ts';
import type { TestController } from '../support/controller.ts';
import { startController, storePairs } from '../support/controller.ts';
import { signersPath } from '../support/external-jwt-signers.ts';
import type { JwtIssuer } from '../support/jwt-issuer.ts';
import { addIssuer, bearer, certificateKey, createJwtIssuer, jwtSignIn } from '../support/jwt-issuer.ts';

describe.each(storePairs)('sign-in with an external JWT on $stores', ({ open }) => {
  let server: TestController;
  let admin: string;
  let issuer: JwtIssuer;
  let signerId: string;
  let policyId: string;

  const signIn = (tokens: readonly string[], api = 'client') =>
    server.wire('POST', jwtSignIn.replace('client', api), { body: {}, headers: bearer(...tokens) });
  const challengeOf = ({ headers }: Awaited<ReturnType<typeof signIn>>) => headers['www-authenticate'];
  const addPerson = async (members: object = {}) => {
    const externalId = randomUUID();
    const id = await addIdentity(server, admin, { externalId, authPolicyId: policyId, ...members });
    return { id, externalId };
  };
  const patch = (path: string, body: object) => server.wire('PATCH', path, { token: admin, body });

  beforeAll(async () => {
    server = await startController(await open());
    admin = await server.signIn();
    issuer = await createJwtIssuer();
  });
  afterAll(async () => {
    await issuer[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  it('fails without a challenge while no signer is enabled', async () => {
    const answer = await signIn([issuer.sign()]);
    expect([answer.status, answer.body.error.code, challengeOf(answer)]).toEqual([401, 'UNAUTHORIZED', undefined]);
    signerId = await addIssuer(server, admin, issuer);
    policyId = await addPolicy(server, admin, { name: 'tokens', primary: extJwtOnly([]) });
  });

  it('opens a full API session on both APIs, whose authenticator is the signer', async () => {
    const { id, externalId } = await addPerson();
    for (const api of ['client', 'management']) {
      const answer = await signIn([issuer.sign({ sub: externalId })], api);
      expect([answer.status, challengeOf(answer)]).toEqual([200, undefined]);
      expect(answer.body.data).toMatchObject({
        ...{ identityId: id, authenticatorId: `extJwtId:${signerId}`, authQueries: [] },
        ...{ isMfaRequired: false, isMfaComplete: false, isCertExtendable: false },
      });
      const current = `/edge/${api}/v1/current-identity`;
      expect((await server.wire('GET', current, { token: answer.body.data.token })).status).toBe(200);
    }
  });

  it('takes the claim of the signer: an id or an external id, at the root or deep, and the key of a certificate', async () => {
    await using other = await createJwtIssuer();
    const key = certificateKey();
    const { certPem } = key;
    const byId = { jwksEndpoint: null, certPem, useExternalId: false, claimsProperty: '/person/0/edge~1id' };
    const otherId = await addIssuer(server, admin, other, byId);
    const { id, externalId } = await addPerson();
    const signed = (value: unknown) => other.sign({ sub: 'x', person: [{ 'edge/id': value }] }, {}, key);
    const answer = await signIn([signed(id)]);
    expect([answer.status, answer.body.data?.authenticatorId]).toEqual([200, `extJwtId:${otherId}`]);
    // Some ids have no lower-case letter.
    const otherCase = id.toUpperCase() === id ? id.toLowerCase() : id.toUpperCase();
    for (const value of [externalId, '', 7, [id], { id }, null, otherCase].filter((one) => one !== id)) {
      expect((await signIn([signed(value)])).status, JSON.stringify(value)).toBe(401);
    }
    // A kid of its own replaces the fingerprint.
    await patch(`${signersPath}/${otherId}`, { kid: 'main' });
    expect((await signIn([signed(id)])).status).toBe(401);
    const named = other.sign({ person: [{ 'edge/id': id }] }, { kid: 'main' }, key);
    expect((await signIn([named])).status).toBe(200);
    expect((await server.wire('DELETE', `${signersPath}/${otherId}`, { token: admin })).status).toBe(200);
  });

  it.each([
    ['https://x.example/id', { 'https://x.example/id': true }],
    ['a/b~c', { 'a/b~c': true }],
    ['email', { email: true }],
    ['/https:~1~1x.example~1id', { 'https://x.example/id': true }],
  ])('takes %s as the name of a claim, or as a pointer when it begins with a slash', async (claimsProperty, claim) => {
    await using other = await createJwtIssuer();
    const otherId = await addIssuer(server, admin, other, { claimsProperty });
    const { id, externalId } = await addPerson();
    const [name = ''] = Object.keys(claim);
    const answer = await signIn([other.sign({ sub: 'x', [name]: externalId })]);
    expect([answer.status, answer.body.data?.identityId]).toEqual([200, id]);
    const nested = other.sign({
      sub: 'x',
      'https:': { '': { 'x.example': { id: externalId } } },
      a: { 'b~c': externalId },
    });
    expect((await signIn([nested])).status).toBe(401);
    expect((await server.wire('DELETE', `${signersPath}/${otherId}`, { token: admin })).status).toBe(200);
  });

  it('says what is wrong: missing, expired or invalid, and names the enabled signers', async () => {
    await using outsider = await createJwtIssuer();
    const { externalId } = await addPerson();
    const sub = externalId;
    const now = Math.floor(Date.now() / 1_000);
    const valid = issuer.sign({ sub });
    const refused: [string, readonly string[], 'missing' | 'expired' | 'invalid'][] = [
      ['no token', [], 'missing'],
      ['no JWT', ['abc'], 'missing'],
      ['a JWE', [`${valid}.x.y`], 'missing'],
      ['an unknown issuer', [outsider.sign({ sub })], 'missing'],
      ['an unknown person', [issuer.sign({ sub: 'nobody' })], 'missing'],
      ['no claim', [issuer.sign({})], 'missing'],
      ['expired', [issuer.sign({ sub, exp: now - 31 })], 'expired'],
      ['no expiry', [issuer.sign({ sub, exp: undefined })], 'invalid'],
      ['not yet valid', [issuer.sign({ sub, nbf: now + 60 })], 'invalid'],
      ['issued in the future', [issuer.sign({ sub, iat: now + 60 })], 'invalid'],
      ['another audience', [issuer.sign({ sub, aud: ['other'] })], 'invalid'],
      ['no audience', [issuer.sign({ sub, aud: undefined })], 'invalid'],
      ['an unknown kid', [issuer.sign({ sub }, { kid: 'unknown' })], 'invalid'],
      ['the key of an outsider', [issuer.sign({ sub }, { kid: issuer.keys[0]!.kid }, outsider.keys[0])], 'invalid'],
      ['a changed signature', [`${valid.slice(0, -8)}AAAAAAAA`], 'invalid'],
      ['invalid, then missing', [`${valid.slice(0, -8)}AAAAAAAA`, 'abc'], 'invalid'],
      ['invalid, then expired', [issuer.sign({ sub, aud: 'x' }), issuer.sign({ sub, exp: 1 })], 'expired'],
    ];
    const descriptions = {
      missing: 'no matching token was provided',
      expired: 'token expired',
      invalid: 'token is invalid',
    };
    for (const [what, tokens, error] of refused) {
      const answer = await signIn(tokens);
      expect([answer.status, answer.body.error.code], what).toEqual([401, 'UNAUTHORIZED']);
      expect(challengeOf(answer), what).toBe(
        `Bearer realm="openziti-primary-ext-jwt" error="${error}" error_description="${descriptions[error]}"` +
          ` id="${signerId}" issuer="${issuer.issuer}"`,
      );
    }
    expect((await signIn([issuer.sign({ sub, exp: now - 20 })])).status).toBe(200);
    expect((await signIn(['abc', issuer.sign({ sub, exp: 1 }), valid])).status).toBe(200);
    expect((await signIn(['a', 'b', 'c', valid])).status).toBe(401);
  });

  it('takes a token of nearly 16 KiB, and says which limit a longer one broke', async () => {
    const { id, externalId: sub } = await addPerson();
    // 200 groups, as providers put them into the tokens of people.
    const groups = Array.from({ length: 200 }, () => randomUUID());
    const large = issuer.sign({ sub, groups });
    expect(large.length).toBeGreaterThan(9_000);
    expect((await signIn([large])).body.data?.identityId).toBe(id);
    const longest = issuer.sign({ sub, groups, more: 'x'.repeat(3_700) });
    expect(longest.length).toBeGreaterThan(15_000);
    expect((await signIn([longest])).body.data?.identityId).toBe(id);
    const tested = { token: admin, body: { token: longest } };
    const answer = await server.wire('POST', `${signersPath}/${signerId}/test`, tested);
    expect(answer.body.data.isAccepted).toBe(true);
    const tooLong = await signIn([issuer.sign({ sub, groups, more: 'x'.repeat(5_500) })]);
    expect([tooLong.status, tooLong.body.error.code]).toEqual([431, 'REQUEST_HEADERS_TOO_LARGE']);
    expect(tooLong.body.error.cause.message).toContain('16384 bytes');
  });

  it('says what of the token itself is wrong, and nothing about signers and identities', async () => {
    const { externalId: sub } = await addPerson();
    const causeOf = async (...tokens: string[]) => (await signIn(tokens)).body.error.cause;
    const flaw = (reason: string, value: string) => ({ field: 'Authorization', reason, value });
    expect(await causeOf('abc')).toEqual(flaw('form: expected three segments', '1 segments'));
    const kid = 'k'.repeat(257);
    expect(await causeOf(issuer.sign({ sub }, { kid }))).toMatchObject({
      reason: 'header: expected kid: a text of 1 to 256 characters',
    });
    expect(await causeOf(issuer.sign({ sub: 'x'.repeat(513) }))).toEqual(
      flaw('identityClaim: expected a text of 1 to 512 characters at /sub', 'no such text'),
    );
    expect(await causeOf(issuer.sign({ sub, exp: undefined }))).toEqual(
      flaw('claims: expected exp: a number of seconds', 'nothing'),
    );
    expect(await causeOf(issuer.sign({ sub, aud: 'x' }), 'abc')).toEqual(
      flaw('form: expected three segments', '1 segments'),
    );
    await using outsider = await createJwtIssuer();
    const kids = { kid: issuer.keys[0]!.kid };
    for (const token of [
      issuer.sign({ sub: 'nobody' }),
      issuer.sign({ sub, aud: 'x' }),
      issuer.sign({ sub, exp: 1 }),
      issuer.sign({ sub: 'x'.repeat(513) }, kids, outsider.keys[0]),
      outsider.sign({ sub }),
    ]) {
      expect(await causeOf(token)).toBeUndefined();
    }
  });

  it('says that a token lives longer than the controller allows', async () => {
    await using own = await startController({ ...(await open()), jwtMaxLifetime: 60_000 });
    await addIssuer(own, await own.signIn(), issuer);
    const jwt = (seconds: number) => issuer.sign({ sub: 'x', exp: Math.floor(Date.now() / 1_000) + seconds });
    const causeOf = async (token: string) =>
      (await own.wire('POST', jwtSignIn, { body: {}, headers: bearer(token) })).body.error.cause;
    expect((await causeOf(jwt(120))).reason).toMatch(/^lifetime: expected exp not after /);
    expect(await causeOf(jwt(30))).toBeUndefined();
  });

  it('takes the header of providers that point to their keys, and never fetches from there', async () => {
    await using elsewhere = await createJwtIssuer();
    const { id, externalId: sub } = await addPerson();
    const { jwksEndpoint: url } = elsewhere;
    for (const header of [
      { jku: url },
      { x5u: url },
      { jku: url, x5u: url, typ: 'JOSE' },
      { typ: 'application/jose' },
    ]) {
      const answer = await signIn([issuer.sign({ sub }, header)]);
      expect(answer.body.data?.identityId, JSON.stringify(header)).toBe(id);
      // The keys that the header points to verify nothing.
      const forged = issuer.sign({ sub }, { ...header, kid: elsewhere.keys[0]!.kid }, elsewhere.keys[0]);
      expect((await signIn([forged])).status).toBe(401);
    }
    expect(elsewhere.fetches).toBe(0);
  });

  it('refuses a disabled identity, until its time is over', async () => {
    let now = Date.now();
    await using own = await startController({ ...(await open()), clock: () => now });
    const token = await own.signIn();
    await addIssuer(own, token, issuer);
    const authPolicyId = await addPolicy(own, token, { name: 'tokens', primary: extJwtOnly([]) });
    const externalId = randomUUID();
    const id = await addIdentity(own, token, { externalId, authPolicyId });
    const jwt = issuer.sign({ sub: externalId });
    const statusNow = async () => (await own.wire('POST', jwtSignIn, { body: {}, headers: bearer(jwt) })).status;
    expect(await statusNow()).toBe(200);
    const disabled = { token, body: { durationMinutes: 1 } };
    expect((await own.wire('POST', `/edge/management/v1/identities/${id}/disable`, disabled)).status).toBe(200);
    now += 59_999;
    expect(await statusNow()).toBe(401);
    now += 1;
    expect(await statusNow()).toBe(200);
  });

  it('takes no token of a signer without an audience', async () => {
    await using other = await createJwtIssuer();
    const otherId = await addIssuer(server, admin, other, { audience: '' });
    const { externalId: sub } = await addPerson();
    for (const aud of [undefined, '', [], [''], 'edge']) {
      expect((await signIn([other.sign({ sub, aud })])).status, `aud ${JSON.stringify(aud)}`).toBe(401);
    }
    const patched = { token: admin, body: { audience: 'edge' } };
    expect((await server.wire('PATCH', `${signersPath}/${otherId}`, patched)).status).toBe(200);
    expect((await signIn([other.sign({ sub, aud: 'edge' })])).status).toBe(200);
    expect((await server.wire('DELETE', `${signersPath}/${otherId}`, { token: admin })).status).toBe(200);
  });

  it('obeys the policy of the identity: allowed at all, and by which signers', async () => {
    await using other = await createJwtIssuer();
    const otherId = await addIssuer(server, admin, other, { claimsProperty: 'email' });
    const narrow = await addPolicy(server, admin, { name: 'narrow', primary: extJwtOnly([signerId]) });
    const none = await addPolicy(server, admin, { name: 'none' });
    const [{ id, externalId: sub }, closed, byDefault] = [
      await addPerson({ authPolicyId: narrow }),
      await addPerson({ authPolicyId: none }),
      await addPerson({ authPolicyId: 'default' }),
    ];
    const first = await signIn([issuer.sign({ sub })]);
    expect(first.status).toBe(200);
    expect((await signIn([other.sign({ email: sub })])).status).toBe(401);
    for (const { externalId } of [closed, byDefault]) {
      expect((await signIn([issuer.sign({ sub: externalId })])).status).toBe(401);
    }
    // The policy is evaluated at every request.
    const { token } = first.body.data;
    const current = () => server.wire('GET', '/edge/client/v1/current-identity', { token });
    expect((await current()).status).toBe(200);
    await patch(`/edge/management/v1/auth-policies/${narrow}`, {
      primary: { extJwt: { allowed: true, allowedSigners: [otherId] } },
    });
    expect((await current()).status).toBe(401);
    expect((await signIn([other.sign({ email: sub })])).status).toBe(200);
    await server.wire('POST', `/edge/management/v1/identities/${id}/disable`, {
      token: admin,
      body: { durationMinutes: 0 },
    });
    expect((await signIn([other.sign({ email: sub })])).status).toBe(401);
    await patch(`/edge/management/v1/auth-policies/${narrow}`, {
      primary: { extJwt: { allowed: true, allowedSigners: [] } },
    });
    expect((await server.wire('DELETE', `${signersPath}/${otherId}`, { token: admin })).status).toBe(200);
  });

  it('ends the sessions of an identity whose external id changes, and of a signer that is disabled', async () => {
    const { id, externalId: sub } = await addPerson();
    const first = (await signIn([issuer.sign({ sub })])).body.data.token;
    const check = (token: string) => server.wire('GET', '/edge/client/v1/current-identity', { token });
    await patch(`/edge/management/v1/identities/${id}`, { externalId: `new ${sub}` });
    expect((await check(first)).status).toBe(401);
    expect((await signIn([issuer.sign({ sub })])).status).toBe(401);
    const { token } = (await signIn([issuer.sign({ sub: `new ${sub}` })])).body.data;
    const current = () => check(token);
    expect((await current()).status).toBe(200);
    await patch(`${signersPath}/${signerId}`, { enabled: false });
    expect((await current()).status).toBe(401);
    const refused = await signIn([issuer.sign({ sub: `new ${sub}` })]);
    expect([refused.status, challengeOf(refused)]).toEqual([401, undefined]);
    await patch(`${signersPath}/${signerId}`, { enabled: true });
    expect((await current()).status).toBe(401);
    expect((await signIn([issuer.sign({ sub: `new ${sub}` })])).status).toBe(200);
  });

  it('counts a changed issuer, audience and key at once', async () => {
    await using moved = await createJwtIssuer();
    const id = await addIssuer(server, admin, moved);
    const { externalId: sub } = await addPerson();
    const sign = (claims: object = {}) => moved.sign({ sub, ...claims });
    expect((await signIn([sign()])).status).toBe(200);
    await patch(`${signersPath}/${id}`, { issuer: 'https://renamed.example' });
    expect((await signIn([sign()])).status).toBe(401);
    expect((await signIn([sign({ iss: 'https://renamed.example' })])).status).toBe(200);
    await patch(`${signersPath}/${id}`, { audience: 'another' });
    expect((await signIn([sign({ iss: 'https://renamed.example' })])).status).toBe(401);
    const renamed = { iss: 'https://renamed.example', aud: ['edge', 'another'] };
    expect((await signIn([sign(renamed)])).status).toBe(200);
    await using another = await createJwtIssuer();
    await patch(`${signersPath}/${id}`, { jwksEndpoint: another.jwksEndpoint });
    expect((await signIn([sign(renamed)])).status).toBe(401);
    expect((await signIn([moved.sign({ sub, ...renamed }, {}, another.keys[0])])).status).toBe(200);
    expect((await server.wire('DELETE', `${signersPath}/${id}`, { token: admin })).status).toBe(200);
    expect((await signIn([moved.sign({ sub, ...renamed }, {}, another.keys[0])])).status).toBe(401);
  });

  it('says to the administrator why a token was refused, and shows no token', async () => {
    const { externalId: sub } = await addPerson();
    const seen: object[] = [];
    const stop = server.controller.events.on('externalJwt.refused', (refusal) => seen.push(refusal));
    const wrong = issuer.sign({ sub, aud: 'another service' });
    await signIn([wrong, 'abc']);
    stop();
    expect(seen).toEqual([
      { use: 'primary', check: 'audience', expected: '"edge"', received: '["another service"]', signerId },
      { use: 'primary', check: 'form', signerId: null, expected: expect.any(String), received: expect.any(String) },
    ]);
    expect(JSON.stringify(seen)).not.toContain(wrong.split('.')[2]);
  });
});

function extJwtOnly(allowedSigners: readonly string[]) {
  const updb = {
    ...{ allowed: false, minPasswordLength: 8, requireSpecialChar: false, requireNumberChar: false },
    ...{ requireMixedCase: false, maxAttempts: 0, lockoutDurationMinutes: 0 },
  };
  return {
    cert: { allowed: false, allowExpiredCerts: false },
    extJwt: { allowed: true, allowedSigners },
    updb,
  };
}
