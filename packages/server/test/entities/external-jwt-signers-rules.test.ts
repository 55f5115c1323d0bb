import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addPolicy, policyRules } from '../support/auth-policies.ts';
import type { TestController } from '../support/controller.ts';
import { startController, storePairs } from '../support/controller.ts';
import { addSigner, signerBody, signersPath } from '../support/external-jwt-signers.ts';
import { createTestCa } from '../support/test-ca.ts';

const ec = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve });
const rsa = (modulusLength: number) => generateKeyPairSync('rsa', { modulusLength });

describe.each(storePairs)('the rules of external JWT signers on $stores', ({ open }) => {
  let server: TestController;
  let token: string;
  beforeAll(async () => {
    server = await startController(await open());
    token = await server.signIn();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const create = (body: object) => server.wire('POST', signersPath, { token, body });
  const patch = (id: string, body: object) => server.wire('PATCH', `${signersPath}/${id}`, { token, body });
  const withCertificate = (certPem: string, changes: object = {}) =>
    signerBody({ certPem, jwksEndpoint: undefined, ...changes });
  /** Status and code of a creation, and what its cause names. */
  async function refusal(body: object) {
    const { status, body: answer } = await create(body);
    const { field, message } = answer.error?.cause ?? {};
    return [status, answer.error?.code, field ?? message];
  }
  const validation = (field: string) => [400, 'COULD_NOT_VALIDATE', field];

  it('either a certificate or the address of a JWKS', async () => {
    const { certPem } = createTestCa();
    const required = "the value '' for 'certPem' is invalid: jwksEndpoint or certPem is required";
    const onlyOne = "the value '' for 'jwksEndpoint' is invalid: only one of jwksEndpoint or certPem may be defined";
    for (const jwksEndpoint of [null, undefined]) {
      expect(await refusal(signerBody({ jwksEndpoint }))).toEqual([400, 'INVALID_FIELD', required]);
    }
    for (const sent of [certPem, '']) {
      expect(await refusal(signerBody({ certPem: sent }))).toEqual([400, 'INVALID_FIELD', onlyOne]);
    }
    const id = await addSigner(server, token);
    for (const sent of [certPem, '']) {
      const { status, body } = await patch(id, { certPem: sent });
      expect([status, body.error.code, body.error.cause.message]).toEqual([400, 'INVALID_FIELD', onlyOne]);
    }
    expect(await refusal(withCertificate(''))).toEqual([400, 'INVALID_CERT_PEM', 'certPem']);
  });

  it.each([
    ['', 'COULD_NOT_VALIDATE'],
    ['keys.example.com', 'COULD_NOT_VALIDATE'],
    [`https://keys.example.com/${'x'.repeat(2_000)}`, 'COULD_NOT_VALIDATE'],
    ['ftp://keys.example.com/jwks', 'INVALID_FIELD'],
    ['http://169.254.169.254/latest/meta-data', 'INVALID_FIELD'],
    ['https://reader:secret-word@keys.example.com/jwks', 'INVALID_FIELD'],
  ])('no JWKS from %s', async (jwksEndpoint, code) => {
    const id = await addSigner(server, token);
    for (const answer of [await create(signerBody({ jwksEndpoint })), await patch(id, { jwksEndpoint })]) {
      expect([answer.status, answer.body.error.code]).toEqual([400, code]);
      expect(answer.text).toContain('jwksEndpoint');
      expect(answer.text).not.toContain('secret-word');
    }
  });

  it('a certificate whose key can sign JWTs', async () => {
    for (const keys of [rsa(2048), ec('P-256'), ec('P-384'), ec('P-521'), generateKeyPairSync('ed25519')]) {
      const answer = await create(withCertificate(createTestCa('a key', { keys }).certPem));
      expect(answer.status, answer.text).toBe(201);
    }
    for (const keys of [rsa(1024), ec('secp256k1'), generateKeyPairSync('ed448')]) {
      const { certPem } = createTestCa('a key', {
        keys,
        signing: { algorithm: ed25519, sign: () => Buffer.alloc(64) },
      });
      const answer = await create(withCertificate(certPem));
      expect([answer.status, answer.body.error.code]).toEqual([400, 'INVALID_CERT_PEM']);
      expect(answer.body.error.cause).toMatchObject({
        field: 'certPem',
        reason: expect.stringMatching(/\bkey\b|curve/),
      });
    }
  });

  it('exactly one certificate, and nothing else in its text', async () => {
    const { certPem, authority } = createTestCa();
    const privateKey = String(authority.keys.privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const broken = certPem.replace(/\n.{8}/, '\nAAAAAAAA');
    const texts = ['nonsense', certPem + createTestCa().certPem, certPem + certPem, certPem + privateKey, privateKey];
    for (const text of [...texts, broken, certPem.slice(0, -30)]) {
      const answer = await create(withCertificate(text));
      expect([answer.status, answer.body.error.code, answer.body.error.cause.field]).toEqual([
        ...[400, 'INVALID_CERT_PEM', 'certPem'],
      ]);
      expect(answer.text).not.toContain(privateKey.split('\n')[1]);
    }
    expect(await refusal(withCertificate('x'.repeat(65_537)))).toEqual(validation('certPem'));
    expect((await create(withCertificate(`the key of 2026\n${certPem}`))).status).toBe(201);
  });

  it('texts with a meaning', async () => {
    const bad = '/a~2b';
    for (const [field, value] of [
      ...[['name', ''] as const, ['issuer', ''] as const, ['issuer', ' \t'] as const],
      ...[['claimsProperty', bad] as const, ['enrollNameClaimsSelector', bad] as const],
      ...[['enrollAttributeClaimsSelector', bad] as const, ['targetToken', 'REFRESH'] as const],
      ...[['externalAuthUrl', 'javascript:alert(1)'] as const, ['externalAuthUrl', 'login.example.com'] as const],
      ...[['enrollAuthPolicyId', 'none'] as const, ['scopes', ['x'.repeat(501)]] as const],
    ]) {
      const answer = await create(signerBody({ [field]: value }));
      const { code, cause } = answer.body.error;
      expect([answer.status, code, cause.field.replace(/[.[].*/, '')], field).toEqual(validation(field));
    }
    for (const field of ['name', 'issuer', 'audience', 'enabled']) {
      expect(await refusal(signerBody({ [field]: undefined }))).toEqual(validation(field));
    }
    expect((await create(signerBody({ audience: '' }))).status).toBe(201);
  });

  it('a policy for enrollments that allows how the new identities sign in', async () => {
    const { cert, extJwt } = policyRules.primary;
    const noCertificates = { ...policyRules.primary, cert: { ...cert, allowed: false } };
    const withJwts = { ...noCertificates, extJwt: { ...extJwt, allowed: true } };
    const onlyPasswords = await addPolicy(server, token, { name: 'only passwords', primary: noCertificates });
    const onlyJwts = await addPolicy(server, token, { name: 'only JWTs', primary: withJwts });
    const toCert = { enrollToCertEnabled: true };
    const toToken = { enrollToTokenEnabled: true };
    const refused = validation('enrollAuthPolicyId');
    expect(await refusal(signerBody({ enrollAuthPolicyId: onlyPasswords, ...toCert }))).toEqual(refused);
    expect(await refusal(signerBody({ enrollAuthPolicyId: onlyPasswords, ...toToken }))).toEqual(refused);
    expect(await refusal(signerBody({ enrollAuthPolicyId: onlyJwts, ...toCert }))).toEqual(refused);
    const id = await addSigner(server, token, { enrollAuthPolicyId: onlyJwts, ...toToken });
    for (const body of [toCert, { enrollAuthPolicyId: onlyPasswords }]) {
      const answer = await patch(id, body);
      expect([answer.status, answer.body.error.code, answer.body.error.cause.field]).toEqual(refused);
    }
    expect((await patch(id, { enrollAuthPolicyId: onlyPasswords, enrollToTokenEnabled: false })).status).toBe(200);
  });

  it('name, issuer, kid and certificate of their own, also when many are created at once', async () => {
    const { certPem, fingerprint } = createTestCa();
    const same = { name: 'taken', issuer: 'https://taken.example.com', kid: 'taken' };
    await addSigner(server, token, { ...same, certPem, jwksEndpoint: undefined });
    const other = await addSigner(server, token);
    const ofCertificate = await addSigner(server, token, { certPem: createTestCa().certPem, jwksEndpoint: undefined });
    for (const [field, value] of Object.entries(same)) {
      for (const answer of [await create(signerBody({ [field]: value })), await patch(other, { [field]: value })]) {
        const reason = `duplicate value '${value}' in unique index on externalJwtSigners store`;
        expect([answer.status, answer.body.error.code, answer.body.error.cause]).toEqual([
          ...[400, 'COULD_NOT_VALIDATE'],
          { field, reason, value },
        ]);
      }
    }
    for (const answer of [await create(withCertificate(certPem)), await patch(ofCertificate, { certPem })]) {
      expect([answer.status, answer.body.error.cause]).toMatchObject([
        400,
        { field: 'fingerprint', value: fingerprint },
      ]);
    }
    const issuer = 'https://race.example.com';
    const answers = await Promise.all(Array.from({ length: 20 }, () => create(signerBody({ issuer }))));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status, body }) => status === 400 && body.error.cause.field === 'issuer')).toHaveLength(
      19,
    );
  });
});

const ed25519 = Buffer.from('300506032b6570', 'hex');
