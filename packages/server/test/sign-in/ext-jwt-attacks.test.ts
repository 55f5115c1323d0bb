import type { KeyObject } from 'node:crypto';
import { createHmac, createPublicKey, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLogger } from '../../src/index.ts';
import { addPolicy, addUserUnder, policyRules } from '../support/auth-policies.ts';
import { addIdentity } from '../support/certificate-users.ts';
import type { TestController } from '../support/controller.ts';
import { startController } from '../support/controller.ts';
import { signersPath } from '../support/external-jwt-signers.ts';
import type { JsonProvider } from '../support/json-provider.ts';
import { json, startJsonProvider } from '../support/json-provider.ts';
import { base64url, createJwtKey, jwtAlgorithms, rsaAlgorithms, signJwt } from '../support/jwt.ts';
import { bearer, jwtSignIn } from '../support/jwt-issuer.ts';
import { createTestCa } from '../support/test-ca.ts';

const iss = 'https://issuer.example/attacked';
const otherIss = 'https://issuer.example/other';
const aud = 'edge';
const seconds = (from: number) => Math.floor(Date.now() / 1_000) + from;

const keys = {
  rsa: createJwtKey('RS256', 'rsa'),
  ec: createJwtKey('ES256', 'ec'),
  ec384: createJwtKey('ES384', 'ec384'),
  okp: createJwtKey('EdDSA', 'okp'),
  pss: createJwtKey('PS256', 'pss'),
};
const bad = {
  attacker: createJwtKey('ES256', 'ec'),
  encrypts: createJwtKey('ES256', 'encrypts'),
  signsOnly: createJwtKey('ES256', 'signs only'),
  isPrivate: createJwtKey('ES256', 'is private'),
  twice: createJwtKey('ES256', 'twice'),
  twiceToo: createJwtKey('ES256', 'twice'),
};
const secret = Buffer.alloc(32, 7);
const small = generateKeyPairSync('rsa', { modulusLength: 1_024 });
const exponent3 = generateKeyPairSync('rsa', { modulusLength: 2_048, publicExponent: 3 });
const jwkOf = (publicKey: KeyObject, kid: string) => ({ ...publicKey.export({ format: 'jwk' }), kid });
const jwks = {
  keys: [
    { kty: 'oct', k: base64url(secret), kid: 'oct', alg: 'HS256', use: 'sig' },
    { kty: 'unknown', kid: 'unknown kty' },
    null,
    jwkOf(small.publicKey, 'small'),
    jwkOf(exponent3.publicKey, 'e = 3'),
    { ...keys.rsa.jwk, kid: 'e = 1', e: 'AQ' },
    { ...bad.encrypts.jwk, use: 'enc' },
    { ...bad.signsOnly.jwk, key_ops: ['sign'] },
    bad.isPrivate.privateKey.export({ format: 'jwk' }),
    bad.twice.jwk,
    bad.twiceToo.jwk,
    { ...keys.pss.jwk, alg: 'PS256' },
    ...[keys.rsa, keys.ec, keys.ec384, keys.okp].map(({ jwk }) => ({ ...jwk, use: 'sig' })),
  ],
};

/** A token by the P-256 key; members replace those of a valid one. */
function tokenOf(
  sub: unknown,
  { header = {}, claims = {}, alg = 'ES256', kid = 'ec', key = keys.ec.privateKey }: Parts = {},
): string {
  const head = typeof header === 'string' ? header : { alg, kid, typ: 'JWT', ...header };
  const body =
    typeof claims === 'string' ? claims : { iss, aud, sub, name: sub, iat: seconds(0), exp: seconds(300), ...claims };
  return signJwt({ key, alg, header: head, claims: body });
}
interface Parts {
  readonly header?: object | string;
  readonly claims?: object | string;
  readonly alg?: string;
  readonly kid?: string;
  readonly key?: KeyObject;
}

function hmac(valid: string, key: string | Buffer, kid: string): string {
  const input = `${base64url(JSON.stringify({ alg: 'HS256', kid }))}.${valid.split('.')[1]}`;
  return `${input}.${base64url(createHmac('sha256', key).update(input).digest())}`;
}

type Attack = readonly [name: string, token: (sub: string) => string];
const parts = (sub: string) => tokenOf(sub).split('.') as [string, string, string];
const header = (name: string, members: object): Attack => [name, (sub) => tokenOf(sub, { header: members })];
const claims = (name: string, members: object): Attack => [name, (sub) => tokenOf(sub, { claims: members })];
const key = (kid: string, privateKey: KeyObject, alg = 'ES256'): Attack => [
  `the key "${kid}"`,
  (sub) => tokenOf(sub, { key: privateKey, alg, kid }),
];

const attacks: readonly Attack[] = [
  ['two segments', (sub) => parts(sub).slice(0, 2).join('.')],
  ['four segments', (sub) => `${tokenOf(sub)}.AAAA`],
  ['five segments (CVE-2024-28176)', (sub) => `${tokenOf(sub)}.AAAA.AAAA`],
  ['padding', (sub) => `${tokenOf(sub)}=`],
  [
    'padding of the header',
    (sub) =>
      parts(sub)
        .with(0, `${parts(sub)[0]}=`)
        .join('.'),
  ],
  ['white space', (sub) => tokenOf(sub).replace('.', ' .')],
  ['a trailing space', (sub) => `${tokenOf(sub)} x`],
  // The last character of a signature by P-256 has four bits that count for nothing.
  ['unused bits', (sub) => tokenOf(sub).replace(/.$/, (last) => String.fromCharCode(last.charCodeAt(0) + 1))],
  ['none', (sub) => `${base64url('{"alg":"none","kid":"ec"}')}.${parts(sub)[1]}.`],
  ['none with a signature', (sub) => `${base64url('{"alg":"none","kid":"ec"}')}.${parts(sub).slice(1).join('.')}`],
  ['HMAC with the RSA key in PEM', (sub) => hmac(tokenOf(sub), pem(), 'rsa')],
  ['HMAC with the JWK', (sub) => hmac(tokenOf(sub), JSON.stringify(keys.rsa.jwk), 'rsa')],
  ['HMAC with a symmetric key of the set', (sub) => hmac(tokenOf(sub), secret, 'oct')],
  ['RS256 by the kid of an EC key', (sub) => tokenOf(sub, { alg: 'RS256', key: keys.rsa.privateKey })],
  ['ES256 by a P-384 key', (sub) => tokenOf(sub, { kid: 'ec384', key: keys.ec384.privateKey })],
  ['RS256 by a key for PS256', (sub) => tokenOf(sub, { alg: 'RS256', kid: 'pss', key: keys.pss.privateKey })],
  key('encrypts', bad.encrypts.privateKey),
  key('signs only', bad.signsOnly.privateKey),
  key('is private', bad.isPrivate.privateKey),
  key('twice', bad.twice.privateKey),
  key('twice', bad.twiceToo.privateKey),
  key('small', small.privateKey, 'RS256'),
  key('e = 3', exponent3.privateKey, 'RS256'),
  key('e = 1', keys.rsa.privateKey, 'RS256'),
  key('unknown', keys.ec.privateKey),
  key('__proto__', keys.ec.privateKey),
  key('../keys/ec', keys.ec.privateKey),
  key("ec' or '1'='1", keys.ec.privateKey),
  key('EC', keys.ec.privateKey),
  key('k'.repeat(257), keys.ec.privateKey),
  header('crit (CVE-2026-35042)', { crit: ['exp'] }),
  header('an empty crit', { crit: [] }),
  header('b64', { b64: true }),
  header('x5c', { x5c: ['AAAA'] }),
  header('zip', { zip: 'DEF' }),
  header('a typ of something else', { typ: 'dpop+jwt' }),
  header('no kid', { kid: undefined }),
  header('an empty kid', { kid: '' }),
  header('a list of kids', { kid: ['ec'] }),
  ['jwk', (sub) => tokenOf(sub, { key: bad.attacker.privateKey, header: { jwk: bad.attacker.jwk } })],
  ...['jku', 'x5u'].map(
    (name): Attack => [
      name,
      (sub) => tokenOf(sub, { key: bad.attacker.privateKey, header: { [name]: 'https://attacker.example/keys' } }),
    ],
  ),
  ['kid twice', (sub) => tokenOf(sub, { header: '{"alg":"ES256","kid":"x","kid":"ec"}' })],
  ['the key of an attacker', (sub) => tokenOf(sub, { key: bad.attacker.privateKey })],
  [
    'a signature of zeros',
    (sub) =>
      parts(sub)
        .with(2, base64url(Buffer.alloc(64)))
        .join('.'),
  ],
  ['a signature in DER', (sub) => parts(sub).with(2, derSignature(sub)).join('.')],
  ['no signature', (sub) => parts(sub).with(2, '').join('.')],
  ['the claims of another token', (sub) => parts(sub).with(1, parts('x')[1]).join('.')],
  claims('no iss', { iss: undefined }),
  claims('iss in another case', { iss: iss.toUpperCase() }),
  claims('iss with a slash', { iss: `${iss}/` }),
  claims('iss with a space', { iss: ` ${iss}` }),
  claims('a list as iss', { iss: [iss] }),
  claims('the iss of a signer with other keys', { iss: otherIss }),
  claims('no aud', { aud: undefined }),
  claims('aud in another case', { aud: 'EDGE' }),
  claims('a longer aud', { aud: 'edge-two' }),
  claims('a shorter aud', { aud: 'edg' }),
  claims('several in one aud', { aud: 'edge other' }),
  claims('an object as aud', { aud: { edge: true } }),
  claims('a list within aud', { aud: [['edge']] }),
  claims('a number within aud', { aud: ['edge', 1] }),
  claims('no exp', { exp: undefined }),
  claims('an old exp', { exp: seconds(-31) }),
  claims('a text as exp', { exp: '9999999999' }),
  claims('a negative exp', { exp: -1 }),
  claims('null as exp', { exp: null }),
  claims('nbf in the future', { nbf: seconds(120) }),
  claims('a text as nbf', { nbf: '1' }),
  claims('iat in the future', { iat: seconds(120) }),
  claims('no sub', { sub: undefined }),
  claims('an empty sub', { sub: '' }),
  claims('a number as sub', { sub: 7 }),
  ['a list as sub', (sub) => tokenOf([sub])],
  ['a long sub', (sub) => tokenOf(sub + 'x'.repeat(513))],
  ['exp without end', (sub) => tokenOf(sub, { claims: `{"iss":"${iss}","aud":"edge","sub":"${sub}","exp":1e999}` })],
  ['exp twice', (sub) => tokenOf(sub, { claims: `{"iss":"${iss}","aud":"edge","sub":"${sub}","exp":1,"exp":9e9}` })],
  ['iss twice', (sub) => tokenOf(sub, { claims: `{"iss":"x","iss":"${iss}","aud":"edge","sub":"${sub}","exp":9e9}` })],
  ['a NUL character', (sub) => tokenOf(sub, { claims: { sub: `${sub}\0` } })],
  ['half a surrogate pair', (sub) => tokenOf(sub, { claims: { sub: `${sub}\ud800` } })],
  ['a list as claims', (sub) => tokenOf(sub, { claims: JSON.stringify([{ iss, aud, sub, exp: 9e9 }]) })],
];

function pem(): string {
  return createPublicKey(keys.rsa.privateKey).export({ type: 'spki', format: 'pem' }).toString();
}
function derSignature(sub: string): string {
  const [head, payload] = parts(sub);
  return base64url(sign('sha256', Buffer.from(`${head}.${payload}`), keys.ec.privateKey));
}

/** Whatever a client may think of to be believed. */
const hopeful: Record<string, string> = {
  ...{ 'x-forwarded-authorization': 'Bearer x', 'x-forwarded-user': 'admin', 'x-remote-user': 'admin' },
  ...{ 'x-client-cert': 'x', 'ssl-client-cert': 'x', forwarded: 'for=127.0.0.1', 'x-http-method-override': 'GET' },
};

describe('attacks with external JWTs', () => {
  let server: TestController;
  let provider: JsonProvider;
  let admin: string;
  let signerId: string;
  let otherId: string;
  let person: { sub: string; session: string };
  const lines: string[] = [];
  const sent = new Set<string>();

  const post = (path: string, token: string, options: { token?: string; body?: object; headers?: object } = {}) => {
    sent.add(token);
    return server.wire('POST', path, {
      ...{ body: {}, ...options },
      headers: { ...bearer(token), ...(options.headers as Record<string, string>) },
    });
  };
  const signIn = (token: string, headers: Record<string, string> = {}) => post(jwtSignIn, token, { headers });
  const enroll = (token: string, headers: Record<string, string> = {}) =>
    post('/edge/client/v1/enroll/token', token, { headers });
  const isFull = async (jwt: string) => {
    sent.add(jwt);
    const request = { token: person.session, headers: bearer(jwt) };
    return (await server.wire('GET', '/edge/client/v1/current-identity', request)).status === 200;
  };
  const test = async (token: string) => {
    const answer = await server.wire('POST', `${signersPath}/${signerId}/test`, { token: admin, body: { token } });
    return answer.body.data.isAccepted as boolean;
  };
  const addSigner = async (members: object) => {
    const body = { name: randomUUID(), audience: aud, enabled: true, useExternalId: true, ...members };
    const created = await server.wire('POST', signersPath, { token: admin, body });
    expect(created.status, created.text).toBe(201);
    return created.body.data.id as string;
  };
  const everyDoor = async (token: string) => ({
    signIn: (await signIn(token)).status,
    enroll: (await enroll(token)).body.error?.code,
    isFull: await isFull(token),
    test: await test(token),
  });
  const closed = { signIn: 401, enroll: 'INVALID_ENROLLMENT_TOKEN', isFull: false, test: false };
  const opened = { signIn: 200, enroll: 'ENROLLMENT_IDENTITY_ALREADY_ENROLLED', isFull: true, test: true };

  beforeAll(async () => {
    const destination = new Writable({
      write(chunk, _, done) {
        lines.push(String(chunk));
        done();
      },
    });
    provider = await startJsonProvider(json(jwks));
    server = await startController({ log: createLogger({ level: 'trace', destination }) });
    const refusals = ['externalJwt.refused', 'authentication.failed'] as const;
    const successes = ['authentication.succeeded', 'entity.created', 'entity.updated', 'entity.deleted'] as const;
    server.controller.events.on([...refusals, ...successes], (payload) => lines.push(JSON.stringify(payload)));
    admin = await server.signIn();
    const primary = { ...policyRules.primary, extJwt: { allowed: true, allowedSigners: [] } };
    const tokens = await addPolicy(server, admin, { name: 'tokens', primary });
    const enrollment = { enrollToTokenEnabled: true, enrollAuthPolicyId: tokens, enrollNameClaimsSelector: 'name' };
    signerId = await addSigner({ issuer: iss, jwksEndpoint: provider.url, ...enrollment });
    const outsider = createTestCa().client('an outsider');
    otherId = await addSigner({ issuer: otherIss, certPem: outsider.leafPem, kid: 'ec', ...enrollment });
    const secondary = { requireTotp: false, requireExtJwtSigner: signerId };
    const both = await addPolicy(server, admin, { name: 'both', primary, secondary });
    const { id, ...credentials } = await addUserUnder(server, admin, { authPolicyId: both });
    const sub = randomUUID();
    await server.wire('PATCH', `/edge/management/v1/identities/${id}`, { token: admin, body: { externalId: sub } });
    const signedIn = await server.wire('POST', jwtSignIn.replace('ext-jwt', 'password'), { body: credentials });
    person = { sub, session: signedIn.body.data.token };
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await provider[Symbol.asyncDispose]();
  });

  it.each(attacks)('no door opens for %s, and each does for a valid token', async (_, attack) => {
    expect(await everyDoor(attack(person.sub))).toEqual(closed);
    expect(await everyDoor(tokenOf(person.sub))).toEqual(opened);
  });

  it.each([signIn, enroll])('no header makes a refused token count', async (door) => {
    const headers = { ...hopeful, 'ziti-token-issuer-id': signerId };
    const forged = tokenOf(person.sub, { key: bad.attacker.privateKey });
    for (const token of [
      forged,
      tokenOf(person.sub, { claims: { iss: otherIss } }),
      tokenOf(person.sub, { claims: { aud: 'x' } }),
    ]) {
      for (const id of [signerId, otherId]) {
        expect([400, 401]).toContain((await door(token, { ...headers, 'ziti-token-issuer-id': id })).status);
      }
    }
  });

  it.each(jwtAlgorithms)('%s signs in by a JWK and by a certificate', async (alg) => {
    const { privateKey, jwk } = createJwtKey(alg, alg);
    await using ring = await startJsonProvider(json({ keys: [jwk] }));
    const pair = { privateKey, publicKey: createPublicKey(privateKey) };
    const client = createTestCa().client(alg, { keys: pair });
    for (const source of [{ jwksEndpoint: ring.url }, { certPem: client.leafPem, kid: alg }]) {
      const issuer = `https://issuer.example/${randomUUID()}`;
      const id = await addSigner({ issuer, ...source });
      const externalId = randomUUID();
      const { body } = await server.wire(
        'GET',
        `/edge/management/v1/auth-policies?filter=name="tokens"`.replaceAll('"', '%22'),
        { token: admin },
      );
      await addIdentity(server, admin, { externalId, authPolicyId: body.data[0].id });
      const token = tokenOf(externalId, { alg, kid: alg, key: privateKey, claims: { iss: issuer } });
      expect((await signIn(token)).status, JSON.stringify(source)).toBe(200);
      const wrong = rsaAlgorithms.includes(alg) ? 'ES256' : 'RS256';
      const twin = tokenOf(externalId, {
        alg,
        kid: alg,
        key: privateKey,
        header: { alg: wrong },
        claims: { iss: issuer },
      });
      expect((await signIn(twin)).status).toBe(401);
      expect((await server.wire('DELETE', `${signersPath}/${id}`, { token: admin })).status).toBe(200);
    }
  });

  it('no line of the log and no event has a part of a token', () => {
    const text = lines.join('\n');
    expect(lines.filter((line) => line.includes('external JWT refused')).length).toBeGreaterThan(attacks.length);
    const found = [...sent].flatMap((token) =>
      token.split('.').flatMap((segment) => segment.match(/[\w-]{24}/g)?.filter((part) => text.includes(part)) ?? []),
    );
    expect(found).toEqual([]);
  });
});
