import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addPolicy, policyRules } from '../support/auth-policies.ts';
import { signInWith } from '../support/certificate-users.ts';
import { newKeys } from '../support/certificate-writer.ts';
import type { TestController } from '../support/controller.ts';
import { startController, storePairs } from '../support/controller.ts';
import { writeCsr } from '../support/csr.ts';
import { signersPath } from '../support/external-jwt-signers.ts';
import type { JwtIssuer } from '../support/jwt-issuer.ts';
import { addIssuer, bearer, createJwtIssuer, jwtSignIn } from '../support/jwt-issuer.ts';
import { clientOf } from '../support/test-ca.ts';

const path = '/edge/client/v1/enroll/token';
const identities = '/edge/management/v1/identities';

describe.each(storePairs)('enrollment with an external JWT on $stores', ({ open }) => {
  let server: TestController;
  let admin: string;
  let issuer: JwtIssuer;
  let signerId: string;
  let policyId: string;

  const enroll = (token: string | null, body: object = {}, headers: Record<string, string> = {}) =>
    server.wire('POST', path, { body, headers: { ...(token === null ? {} : bearer(token)), ...headers } });
  const outcome = ({ status, body }: Awaited<ReturnType<typeof enroll>>) => [status, body.error?.code ?? body.data];
  const byExternalId = async (externalId: string) => {
    const filter = encodeURIComponent(`externalId="${externalId}"`);
    return (await server.wire('GET', `${identities}?filter=${filter}`, { token: admin })).body.data[0];
  };
  const patch = async (target: string, body: object) => {
    const answer = await server.wire('PATCH', target, { token: admin, body });
    expect(answer.status, answer.text).toBe(200);
  };

  beforeAll(async () => {
    server = await startController(await open());
    admin = await server.signIn();
    issuer = await createJwtIssuer();
    const primary = { ...policyRules.primary, extJwt: { allowed: true, allowedSigners: [] } };
    policyId = await addPolicy(server, admin, { name: 'enrolled', primary });
    signerId = await addIssuer(server, admin, issuer, {
      ...{ enrollToCertEnabled: true, enrollToTokenEnabled: true, enrollAuthPolicyId: policyId },
      ...{ enrollNameClaimsSelector: '/person/name', enrollAttributeClaimsSelector: '/groups' },
    });
  });
  afterAll(async () => {
    await issuer[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });
  const person = (name = `name ${randomUUID()}`) => ({ sub: randomUUID(), person: { name } });

  it('creates an identity that signs in with the same token', async () => {
    const claims = { ...person(), groups: ['sales', 'north'] };
    const token = issuer.sign(claims);
    expect((await server.wire('POST', jwtSignIn, { body: {}, headers: bearer(token) })).status).toBe(401);
    expect(outcome(await enroll(token))).toEqual([200, {}]);
    expect(await byExternalId(claims.sub)).toMatchObject({
      ...{ name: claims.person.name, externalId: claims.sub, authPolicyId: policyId, isAdmin: false },
      ...{ roleAttributes: ['north', 'sales'], authenticators: {}, enrollment: {} },
    });
    expect((await server.wire('POST', jwtSignIn, { body: {}, headers: bearer(token) })).status).toBe(200);
    expect(outcome(await enroll(token))).toEqual([409, 'ENROLLMENT_IDENTITY_ALREADY_ENROLLED']);
  });

  it('takes name and role attributes from claims whose names are URLs', async () => {
    await using other = await createJwtIssuer();
    await addIssuer(server, admin, other, {
      ...{ enrollToTokenEnabled: true, enrollAuthPolicyId: policyId, claimsProperty: 'https://x.example/id' },
      enrollNameClaimsSelector: 'https://x.example/name',
      enrollAttributeClaimsSelector: 'https://x.example/roles',
    });
    const [id, name] = [randomUUID(), `name ${randomUUID()}`];
    const claims = { id, name, roles: ['sales', 'north'] };
    const named = Object.entries(claims).map(([member, value]) => [`https://x.example/${member}`, value]);
    expect(outcome(await enroll(other.sign(Object.fromEntries(named))))).toEqual([200, {}]);
    expect(await byExternalId(id)).toMatchObject({ name, roleAttributes: ['north', 'sales'] });
  });

  it('issues a certificate for a CSR, with which the identity signs in', async () => {
    const claims = { ...person(), groups: 'sales' };
    const keys = newKeys();
    const answer = await enroll(issuer.sign(claims), { clientCsr: writeCsr('a device', { keys }) });
    expect(answer.status, answer.text).toBe(200);
    const { cert, ca } = answer.body.data;
    expect(ca).toContain('-----BEGIN CERTIFICATE-----');
    const signedIn = await signInWith(server, clientOf(keys, [cert]));
    expect([signedIn.status, signedIn.body.data?.identity.name]).toEqual([200, claims.person.name]);
    expect((await byExternalId(claims.sub)).roleAttributes).toEqual(['sales']);
  });

  it('refuses a bad token, a wrong signer, a bad claim and a bad CSR, and creates nobody', async () => {
    await using outsider = await createJwtIssuer();
    const claims = person();
    const valid = issuer.sign(claims);
    const refused: [string, Awaited<ReturnType<typeof enroll>>, number, string][] = [
      ['no token', await enroll(null), 400, 'INVALID_ENROLLMENT_TOKEN'],
      ['no JWT', await enroll('abc'), 400, 'INVALID_ENROLLMENT_TOKEN'],
      ['an outsider', await enroll(outsider.sign(claims)), 400, 'INVALID_ENROLLMENT_TOKEN'],
      ['expired', await enroll(issuer.sign({ ...claims, exp: 1 })), 400, 'INVALID_ENROLLMENT_TOKEN'],
      ['no claim', await enroll(issuer.sign({ ...claims, sub: undefined })), 400, 'INVALID_ENROLLMENT_TOKEN'],
      ['no name', await enroll(issuer.sign({ sub: claims.sub })), 400, 'INVALID_ENROLLMENT_TOKEN'],
      ['blank name', await enroll(issuer.sign({ sub: 'x', person: { name: ' ' } })), 400, 'INVALID_ENROLLMENT_TOKEN'],
      ['groups', await enroll(issuer.sign({ ...claims, groups: { a: 1 } })), 400, 'INVALID_ENROLLMENT_TOKEN'],
      ['another signer', await enroll(valid, {}, { 'ziti-token-issuer-id': 'x' }), 400, 'INVALID_ENROLLMENT_TOKEN'],
      ['bad CSR', await enroll(valid, { clientCsr: 'x' }), 400, 'COULD_NOT_PROCESS_CSR'],
    ];
    for (const [what, answer, status, code] of refused) expect(outcome(answer), what).toEqual([status, code]);
    expect(await byExternalId(claims.sub)).toBeUndefined();
    expect(outcome(await enroll(valid, {}, { 'ziti-token-issuer-id': signerId }))).toEqual([200, {}]);
    const taken = await enroll(issuer.sign(person(claims.person.name)));
    expect([taken.status, taken.body.error.cause.field]).toEqual([400, 'name']);
  });

  it('names the selector and the value when one group cannot be a role attribute, and creates nobody', async () => {
    const rule = 'a value at /groups is no role attribute: a text of 1 to 500 characters, without # or @ in front';
    const bad: [unknown, string][] = [
      ['#sales', '"#sales"'],
      ['@sales', '"@sales"'],
      ['', '""'],
      [7, '7'],
      [null, 'null'],
      [{ name: 'sales' }, '{"name":"sales"}'],
    ];
    for (const [group, value] of bad) {
      const claims = person();
      const answer = await enroll(issuer.sign({ ...claims, groups: ['north', group, 'south'] }));
      expect(outcome(answer)).toEqual([400, 'INVALID_ENROLLMENT_TOKEN']);
      expect(answer.body.error.cause).toEqual({ field: 'enrollAttributeClaimsSelector', reason: rule, value });
      expect(await byExternalId(claims.sub)).toBeUndefined();
    }
  });

  it('takes a token of nearly 16 KiB, and says what of another one is wrong', async () => {
    const groups = Array.from({ length: 300 }, () => randomUUID());
    const claims = person();
    const token = issuer.sign({ ...claims, groups });
    expect(token.length).toBeGreaterThan(15_000);
    expect(outcome(await enroll(token))).toEqual([200, {}]);
    expect((await byExternalId(claims.sub)).roleAttributes).toHaveLength(300);
    const answer = await enroll('a.b');
    expect(answer.body.error.cause).toEqual({
      field: 'Authorization',
      reason: 'form: expected three segments',
      value: '2 segments',
    });
  });

  it('refuses claims that no request could store, and creates nobody', async () => {
    const count = async () => (await server.wire('GET', identities, { token: admin })).body.meta.pagination.totalCount;
    const before = await count();
    const attributes = (length: number) => Array.from({ length }, (_, at) => at.toString(36));
    const refused: [string, object, string][] = [
      ['a blank subject', { ...person(), sub: ' ' }, 'claimsProperty'],
      ['a long subject', { ...person(), sub: 'x'.repeat(501) }, 'claimsProperty'],
      ['a long name', person('x'.repeat(501)), 'enrollNameClaimsSelector'],
      ['an empty attribute', { ...person(), groups: ['sales', ''] }, 'enrollAttributeClaimsSelector'],
      ['a long attribute', { ...person(), groups: 'x'.repeat(501) }, 'enrollAttributeClaimsSelector'],
      ['too many attributes', { ...person(), groups: attributes(501) }, 'enrollAttributeClaimsSelector'],
    ];
    for (const [what, claims, field] of refused) {
      const answer = await enroll(await issuer.sign({ ...claims }));
      expect([...outcome(answer), answer.body.error?.cause?.field], what).toEqual([
        ...[400, 'INVALID_ENROLLMENT_TOKEN', field],
      ]);
    }
    expect(await count()).toBe(before);
    const repeated = { ...person(), groups: [...attributes(250), ...attributes(250)] };
    expect(outcome(await enroll(await issuer.sign(repeated)))).toEqual([200, {}]);
    expect((await byExternalId(repeated.sub)).roleAttributes).toHaveLength(250);
  });

  it('obeys the signer and the policy: which kind is allowed', async () => {
    const csr = { clientCsr: writeCsr('a device') };
    const kinds = async () => [
      (await enroll(issuer.sign(person()))).status,
      (await enroll(issuer.sign(person()), csr)).status,
    ];
    const signer = `${signersPath}/${signerId}`;
    expect(await kinds()).toEqual([200, 200]);
    await patch(signer, { enrollToTokenEnabled: false });
    expect(await kinds()).toEqual([409, 200]);
    await patch(signer, { enrollToTokenEnabled: true, enrollToCertEnabled: false });
    expect(await kinds()).toEqual([200, 409]);
    await patch(signer, { enrollToCertEnabled: true });
    const policy = `/edge/management/v1/auth-policies/${policyId}`;
    await patch(policy, { primary: { cert: { allowed: false } } });
    expect(await kinds()).toEqual([200, 409]);
    await patch(policy, { primary: { cert: { allowed: true }, extJwt: { allowed: false } } });
    expect(await kinds()).toEqual([409, 200]);
    await patch(policy, { primary: { extJwt: { allowed: true } } });
    await patch(signer, { enabled: false });
    expect(await kinds()).toEqual([400, 400]);
    await patch(signer, { enabled: true });
  });

  it('makes one identity of twenty requests with the same token', async () => {
    const claims = person();
    const token = issuer.sign(claims);
    const csr = { clientCsr: writeCsr('a device') };
    const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => enroll(token, at % 2 === 0 ? {} : csr)));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array.from({ length: 19 }, () => 409)]);
    const codes = new Set(answers.flatMap(({ body }) => body.error?.code ?? []));
    expect([...codes]).toEqual(['ENROLLMENT_IDENTITY_ALREADY_ENROLLED']);
  });
});
