import type { KeyObject } from 'node:crypto';
import { createPublicKey, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addPolicy, policyRules } from '../support/auth-policies.ts';
import { addIdentity } from '../support/certificate-users.ts';
import { write } from '../support/certificate-writer.ts';
import type { TestController } from '../support/controller.ts';
import { startController, storePairs } from '../support/controller.ts';
import { json } from '../support/json-provider.ts';
import { createJwtKey, rsaAlgorithms } from '../support/jwt.ts';
import type { JwtIssuer } from '../support/jwt-issuer.ts';
import { addIssuer, bearer, createJwtIssuer, jwtSignIn } from '../support/jwt-issuer.ts';

interface Key {
  readonly alg: string;
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly jwk: Record<string, unknown>;
}

function keyOf(alg: string, kid: string = randomUUID()): Key {
  const { privateKey, jwk } = createJwtKey(alg, kid);
  return { alg, kid, privateKey, jwk };
}

/** The certificate of a key in base64, as `x5c` has it. */
function x5cOf({ privateKey }: Key): string[] {
  return [
    write({
      issuer: null,
      subject: 'provider',
      keys: { privateKey, publicKey: createPublicKey(privateKey) },
    }).der.toString('base64'),
  ];
}

describe.each(storePairs)('key sets of providers on $stores', ({ open }) => {
  let server: TestController;
  let admin: string;
  let sub: string;

  beforeAll(async () => {
    server = await startController(await open());
    admin = await server.signIn();
    const primary = { ...policyRules.primary, extJwt: { allowed: true, allowedSigners: [] } };
    const authPolicyId = await addPolicy(server, admin, { name: 'tokens', primary });
    sub = randomUUID();
    await addIdentity(server, admin, { externalId: sub, authPolicyId });
  });
  afterAll(() => server[Symbol.asyncDispose]());

  /** A provider that serves this set. */
  async function serving(keys: readonly unknown[], more: object = {}): Promise<JwtIssuer> {
    const issuer = await createJwtIssuer();
    issuer.serve(json({ ...more, keys }));
    await addIssuer(server, admin, issuer);
    return issuer;
  }
  const statusOf = async (issuer: JwtIssuer, key: Key, alg = key.alg) => {
    const token = issuer.sign({ sub }, {}, { ...key, alg });
    return (await server.wire('POST', jwtSignIn, { body: {}, headers: bearer(token) })).status;
  };

  it('may have a key as a certificate alone: the certificate says its type', async () => {
    const keys = ['RS256', 'ES384', 'EdDSA'].map((alg) => keyOf(alg));
    await using issuer = await serving(keys.map((key) => ({ kid: key.kid, x5c: x5cOf(key) })));
    for (const key of keys) expect(await statusOf(issuer, key), key.alg).toBe(200);
  });

  it('may have keys of different types under one kid: the algorithm of the JWT selects one', async () => {
    const keys = ['RS256', 'ES256', 'ES512', 'EdDSA'].map((alg) => keyOf(alg, 'the kid'));
    await using issuer = await serving(keys.map(({ jwk }) => jwk));
    for (const key of keys) expect(await statusOf(issuer, key), key.alg).toBe(200);
    for (const alg of rsaAlgorithms) expect(await statusOf(issuer, keys[0]!, alg), alg).toBe(200);
    // The key with this algorithm has not signed it.
    expect(await statusOf(issuer, keyOf('ES256', 'the kid'))).toBe(401);
    expect(await statusOf(issuer, keyOf('ES384', 'the kid'))).toBe(401);
  });

  it('may be one of SPIFFE', async () => {
    const key = keyOf('ES256');
    await using issuer = await serving([{ ...key.jwk, use: 'jwt-svid' }]);
    expect(await statusOf(issuer, key)).toBe(200);
  });

  it('may have thousands of keys, and one MiB', async () => {
    const key = keyOf('RS256');
    const others = (count: number) =>
      Array.from({ length: count }, () => ({ ...key.jwk, alg: 'RS256', use: 'sig', kid: randomUUID() }));
    for (const count of [101, 300, 2_200]) {
      const keys = [...others(count), key.jwk];
      expect(JSON.stringify({ keys }).length).toBeLessThan(1_048_576);
      await using issuer = await serving(keys);
      expect(await statusOf(issuer, key), `${count} keys`).toBe(200);
      expect(await statusOf(issuer, keyOf('RS256'))).toBe(401);
    }
  });

  it('may have keys for other uses, which verify nothing and hide no other', async () => {
    const [signing, encrypting, wrapping, unknown] = [keyOf('RS256'), keyOf('RS256'), keyOf('ES256'), keyOf('RS256')];
    await using issuer = await serving([
      { ...encrypting.jwk, use: 'enc' },
      { ...wrapping.jwk, key_ops: ['wrapKey', 'deriveBits'] },
      { ...unknown.jwk, kty: 'AKP' },
      { kty: 'oct', kid: 'shared', k: 'c2VjcmV0' },
      { ...signing.jwk, use: 'sig', key_ops: ['verify'] },
      { ...encrypting.jwk, kid: signing.kid, use: 'enc' },
    ]);
    expect(await statusOf(issuer, signing)).toBe(200);
    for (const key of [encrypting, wrapping, unknown]) expect(await statusOf(issuer, key)).toBe(401);
  });
});
