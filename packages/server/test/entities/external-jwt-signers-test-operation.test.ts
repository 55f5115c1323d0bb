import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addPolicy, policyRules } from '../support/auth-policies.ts';
import { addIdentity } from '../support/certificate-users.ts';
import type { TestController } from '../support/controller.ts';
import { startController, storePairs } from '../support/controller.ts';
import { signersPath } from '../support/external-jwt-signers.ts';
import type { JwtIssuer } from '../support/jwt-issuer.ts';
import { addIssuer, createJwtIssuer } from '../support/jwt-issuer.ts';

interface Verdict {
  readonly check: string;
  readonly passed: boolean;
  readonly expected?: string;
  readonly received?: string;
}

const text = expect.any(String);

describe.each(storePairs)('the test of an external JWT signer on $stores', ({ open }) => {
  let server: TestController;
  let admin: string;
  let issuer: JwtIssuer;
  let signerId: string;
  let policyId: string;

  const test = async (token: string, id = signerId) => {
    const answer = await server.wire('POST', `${signersPath}/${id}/test`, { token: admin, body: { token } });
    expect(answer.status, answer.text).toBe(200);
    const data: { isAccepted: boolean; checks: Verdict[]; identity?: { id: string; name: string } } = answer.body.data;
    return data;
  };
  const failed = async (token: string, id?: string) => {
    const { isAccepted, checks, identity } = await test(token, id);
    const { check, expected, received } = checks.find(({ passed }) => !passed) ?? {};
    expect([isAccepted, typeof check], JSON.stringify(identity)).toEqual([false, 'string']);
    return [check, expected, received];
  };
  const enable = async (enabled: boolean) => {
    const answer = await server.wire('PATCH', `${signersPath}/${signerId}`, { token: admin, body: { enabled } });
    expect(answer.status, answer.text).toBe(200);
  };

  beforeAll(async () => {
    server = await startController(await open());
    admin = await server.signIn();
    issuer = await createJwtIssuer();
    signerId = await addIssuer(server, admin, issuer);
    const primary = { ...policyRules.primary, extJwt: { allowed: true, allowedSigners: [signerId] } };
    policyId = await addPolicy(server, admin, { name: 'tokens', primary });
  });
  afterAll(async () => {
    await issuer[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  it('lists all checks of a good token and the identity, and signs nobody in', async () => {
    const externalId = randomUUID();
    const id = await addIdentity(server, admin, { name: `Ada ${externalId}`, externalId, authPolicyId: policyId });
    const { isAccepted, checks, identity } = await test(issuer.sign({ sub: externalId }));
    expect([isAccepted, identity]).toMatchObject([true, { id, name: `Ada ${externalId}` }]);
    expect(checks.map(({ check }) => check)).toEqual([
      ...['form', 'header', 'issuer', 'key', 'algorithm', 'signature', 'claims', 'expiry', 'notBefore', 'issuedAt'],
      ...['lifetime', 'audience', 'tokenKind', 'identityClaim', 'identity', 'policy', 'enabled'],
    ]);
    const filter = encodeURIComponent(`identity = "${id}"`);
    const sessions = await server.wire('GET', `/edge/management/v1/api-sessions?filter=${filter}`, { token: admin });
    expect(sessions.body.data).toEqual([]);
  });

  it('says which check a token fails, with what was expected and received', async () => {
    await using outsider = await createJwtIssuer();
    const valid = issuer.sign({ sub: randomUUID() });
    expect(await failed('abc')).toEqual(['form', text, text]);
    const issuers = [issuer, outsider].map((one) => JSON.stringify(one.issuer));
    expect(await failed(outsider.sign())).toEqual(['issuer', ...issuers]);
    const unknown = await failed(issuer.sign({}, { kid: 'unknown' }));
    expect(unknown).toEqual(['key', text, expect.stringContaining('kid "unknown"')]);
    expect(await failed(`${valid.slice(0, -8)}AAAAAAAA`)).toEqual(['signature', text, text]);
    expect(await failed(issuer.sign({ exp: 1 }))).toEqual(['expiry', text, '1970-01-01T00:00:01.000Z']);
    expect(await failed(issuer.sign({ aud: ['a', 'b'] }))).toEqual(['audience', '"edge"', '["a","b"]']);
    expect(await failed(issuer.sign())).toEqual(['identityClaim', text, text]);
  });

  it('says whom a token names, and what the auth policy allows', async () => {
    const externalId = randomUUID();
    const valid = issuer.sign({ sub: externalId });
    expect(await failed(valid)).toEqual(['identity', text, externalId]);
    await addIdentity(server, admin, { externalId });
    expect(await failed(valid)).toEqual(['policy', text, 'external JWTs are not allowed']);
  });

  it('works for a disabled signer, whose tokens pass all checks but one', async () => {
    const externalId = randomUUID();
    await addIdentity(server, admin, { externalId, authPolicyId: policyId });
    const valid = issuer.sign({ sub: externalId });
    await enable(false);
    expect(await failed(valid)).toEqual(['enabled', text, text]);
    expect((await test(valid)).checks.filter(({ passed }) => !passed)).toHaveLength(1);
    await enable(true);
    expect((await test(valid)).isAccepted).toBe(true);
  });

  it('says why the keys cannot be fetched', async () => {
    await using broken = await createJwtIssuer();
    broken.serve((_request, response) => response.writeHead(500).end());
    const id = await addIssuer(server, admin, broken);
    expect(await failed(broken.sign(), id)).toEqual(['key', text, expect.stringContaining('The status is 500')]);
  });

  it('is for administrators, for signers that exist and with a token', async () => {
    const body = { token: issuer.sign() };
    const post = async (id: string, options: object) =>
      (await server.wire('POST', `${signersPath}/${id}/test`, options)).status;
    expect(await post('none', { token: admin, body })).toBe(404);
    expect(await post(signerId, { body })).toBe(401);
    expect(await post(signerId, { token: admin, body: {} })).toBe(400);
  });
});
