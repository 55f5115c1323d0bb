import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addPolicy, policyRules } from '../support/auth-policies.ts';
import {
  basicConstraints,
  digitalSignature,
  extendedKeyUsage,
  keyCertSign,
  keyUsage,
  purposes,
} from '../support/certificate-extensions.ts';
import type { Network } from '../support/certificate-users.ts';
import { addDevice, certificateSignIn, networkClient, networkOf, signInWith } from '../support/certificate-users.ts';
import { commonName, pemOf, write } from '../support/certificate-writer.ts';
import type { TestController } from '../support/controller.ts';
import { startController, storePairs } from '../support/controller.ts';
import type { WireAnswer } from '../support/request.ts';
import { wireOf } from '../support/request.ts';
import { sql } from '../support/sql.ts';
import type { TestClient } from '../support/test-ca.ts';
import { clientOf, createTestCa } from '../support/test-ca.ts';
import { enrollTotp } from '../support/totp.ts';

const hour = 3_600_000;
const refused = { status: 401, body: { error: { code: 'INVALID_AUTH', message: expect.any(String) } } };
const own = '/edge/client/v1/current-api-session';

describe.each(storePairs)('sign-in with a certificate of the network on $stores', ({ open }) => {
  let server: TestController;
  let admin: string;
  let network: Network;
  const reasons: string[] = [];

  beforeAll(async () => {
    server = await startController(await open());
    admin = await server.signIn();
    network = networkOf(server);
    server.controller.events.on('authentication.failed', ({ reason }) => reasons.push(reason));
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const manage = (method: string, path: string, body?: object) =>
    server.wire(method, `/edge/management/v1/${path}`, { token: admin, ...(body ? { body } : {}) });
  const device = (changes: Parameters<typeof networkClient>[2] = {}, members: Record<string, unknown> = {}) =>
    addDevice(server, admin, { client: networkClient(network, 'a device', changes), members });
  const sessionOf = (answer: WireAnswer) => server.wire('GET', own, { token: answer.body.data.token });
  async function expectRefused(client: Pick<TestClient, 'key' | 'cert'>, reason: string): Promise<void> {
    const answer = await signInWith(server, client);
    expect(answer).toMatchObject(refused);
    expect(answer.headers['www-authenticate']).toBeUndefined();
    expect(Object.keys(answer.body.error).toSorted()).toEqual(['code', 'message', 'requestId']);
    expect(reasons.at(-1)).toBe(reason);
  }
  const authenticator = async (id: string) => (await manage('GET', `authenticators/${id}`)).body.data;

  it('opens a session of the identity, on both APIs', async () => {
    const { client, identityId, authenticatorId } = await device();
    const answer = await signInWith(server, client);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.headers['svc-session']).toBe(answer.body.data.token);
    expect(answer.headers['ziti-authenticator-extend-requested']).toBeUndefined();
    const detail = { identityId, authenticatorId, isCertExtendable: true, authQueries: [] };
    expect(answer.body.data).toMatchObject(detail);
    for (const name of ['isCertExtendRequested', 'isCertKeyRollRequested', 'improperClientCertChain']) {
      expect(answer.body.data).not.toHaveProperty(name);
    }
    expect((await sessionOf(answer)).body.data).toMatchObject(detail);
    const onManagement = await wireOf(server, client)('POST', '/edge/management/v1/authenticate?method=cert');
    expect(onManagement.body.data).toMatchObject({ identityId });
    expect(await authenticator(authenticatorId)).toMatchObject({ lastAuthResolvedToRoot: true });
  });

  it('accepts the certificates behind the leaf in any order, with others between them', async () => {
    const { client, identityId } = await device();
    const { rootPem, intermediatePem } = network;
    const foreign = createTestCa('foreign').certPem;
    for (const others of [
      [rootPem, intermediatePem],
      [foreign, intermediatePem, rootPem],
      [intermediatePem, intermediatePem, foreign],
    ]) {
      const answer = await signInWith(server, clientOf(client.keys, [client.leafPem, ...others]));
      expect(answer.body.data).toMatchObject({ identityId });
      expect(answer.body.data).not.toHaveProperty('improperClientCertChain');
    }
  });

  it('accepts a chain without the intermediate and flags it on the session and on the authenticator', async () => {
    const { client, authenticatorId } = await device();
    const { rootPem, intermediatePem } = network;
    await signInWith(server, client);
    for (const others of [[], [rootPem]]) {
      const answer = await signInWith(server, clientOf(client.keys, [client.leafPem, ...others]));
      expect(answer.body.data).toMatchObject({ improperClientCertChain: true, isCertExtendable: true });
      expect((await sessionOf(answer)).body.data).toMatchObject({ improperClientCertChain: true });
      // A detail leaves out what is false.
      expect(await authenticator(authenticatorId)).not.toHaveProperty('lastAuthResolvedToRoot');
    }
    const { updatedAt } = await authenticator(authenticatorId);
    await signInWith(server, clientOf(client.keys, [client.leafPem]));
    expect((await authenticator(authenticatorId)).updatedAt).toBe(updatedAt);
    const listed = await manage('GET', 'api-sessions?filter=improperClientCertChain=true');
    expect(listed.body.data.length).toBeGreaterThanOrEqual(3);
    await signInWith(server, clientOf(client.keys, [client.leafPem, intermediatePem]));
    expect(await authenticator(authenticatorId)).toMatchObject({ lastAuthResolvedToRoot: true });
  });

  it('accepts an old, expired intermediate that the network has renewed with the same key', async () => {
    const { client } = await device();
    const { keys, subject } = network.intermediate;
    const old = write({
      issuer: createTestCa('not the root').authority,
      subject,
      keys,
      notBefore: new Date(Date.now() - 2 * hour),
      notAfter: new Date(Date.now() - hour),
      extensions: [basicConstraints(true), keyUsage(keyCertSign)],
    });
    const answer = await signInWith(server, clientOf(client.keys, [client.leafPem, pemOf(old)]));
    expect(answer.body.data).toMatchObject({ improperClientCertChain: true });
  });

  it('never takes anybody but the leaf: every permutation with the certificate of another', async () => {
    const victim = await device();
    const attacker = await device();
    const unknownCa = createTestCa('a CA of the attacker');
    const outsider = unknownCa.client('a device');
    const { rootPem, intermediatePem } = network;
    const pool = [victim.client.leafPem, unknownCa.certPem, intermediatePem, rootPem];
    for (const others of permutations(pool)) {
      const asOutsider = await signInWith(server, clientOf(outsider.keys, [outsider.leafPem, ...others]));
      expect(asOutsider).toMatchObject(refused);
    }
    for (const others of permutations([victim.client.leafPem, outsider.leafPem, intermediatePem])) {
      const asSelf = await signInWith(server, clientOf(attacker.client.keys, [attacker.client.leafPem, ...others]));
      expect(asSelf.body.data.identityId).toBe(attacker.identityId);
    }
  });

  it('refuses without a certificate, with one of nobody, of an unknown CA, or signed by a certificate of a device', async () => {
    expect(await server.wire('POST', certificateSignIn, { body: {} })).toMatchObject(refused);
    expect(reasons.at(-1)).toBe('no client certificate');
    await expectRefused(networkClient(network, 'nobody'), 'unknown certificate');
    const unknown = createTestCa('unknown').client('a device');
    await addDevice(server, admin, { client: unknown });
    await expectRefused(unknown, 'the leaf breaks the rule unknown-issuer');
    const { client } = await device();
    const below = networkClient(network, 'below a device', {
      issuer: { der: client.der, keys: client.keys, subject: commonName('a device') },
    });
    const presented = clientOf(below.keys, [below.leafPem, client.leafPem, network.intermediatePem]);
    await addDevice(server, admin, { client: presented });
    await expectRefused(presented, 'issuer 1 breaks the rule not-a-ca');
  });

  const early = { notBefore: new Date(Date.now() + hour), notAfter: new Date(Date.now() + 2 * hour) };

  it('the auth policy decides about a certificate that has expired', async () => {
    const dates = { notBefore: new Date(Date.now() - 2 * hour), notAfter: new Date(Date.now() - hour) };
    const { client, identityId } = await device(dates);
    expect((await signInWith(server, client)).status).toBe(200);
    const authPolicyId = await addPolicy(server, admin, { name: `dates ${Math.random()}` });
    await manage('PATCH', `identities/${identityId}`, { authPolicyId });
    await expectRefused(client, 'certificate expired');
  });

  it('never accepts a certificate that is not valid yet, whatever the auth policy says', async () => {
    const { client, identityId } = await device(early);
    await expectRefused(client, 'certificate not yet valid');
    const authPolicyId = await addPolicy(server, admin, { name: `not yet ${Math.random()}` });
    await manage('PATCH', `identities/${identityId}`, { authPolicyId });
    await expectRefused(client, 'certificate not yet valid');
  });

  it('an administrator whose certificate is not valid yet does not count', async () => {
    const { identityId } = await device(early, { isAdmin: true });
    const [{ id }] = (await manage('GET', 'identities?filter=isDefaultAdmin=true')).body.data;
    const disabled = await manage('POST', `identities/${id}/disable`, { durationMinutes: 1 });
    expect([disabled.status, disabled.body.error?.code]).toEqual([409, 'LAST_ADMINISTRATOR']);
    expect((await manage('DELETE', `identities/${identityId}`)).status).toBe(200);
  });

  it('never accepts an expired issuer', async () => {
    const { intermediate } = network;
    const expired = createTestCa('expired below the network', {
      issuer: intermediate,
      notBefore: new Date(Date.now() - 2 * hour),
      notAfter: new Date(Date.now() - hour),
      extensions: [basicConstraints(true), keyUsage(keyCertSign)],
    });
    const client = expired.client('a device');
    await addDevice(server, admin, { client });
    const presented = clientOf(client.keys, [client.leafPem, expired.certPem, network.intermediatePem]);
    await expectRefused(presented, 'issuer 1 breaks the rule expired');
  });

  it('the extended key usage must be that of a client, any, or absent', async () => {
    const usage = (...ids: readonly string[]) => ({
      extensions: [keyUsage(digitalSignature), ...(ids.length > 0 ? [extendedKeyUsage(...ids)] : [])],
    });
    const server1 = await device(usage(purposes.serverAuth));
    await expectRefused(server1.client, 'the leaf breaks the rule extended-key-usage');
    for (const accepted of [usage(), usage(purposes.any), usage(purposes.serverAuth, purposes.clientAuth)]) {
      expect((await signInWith(server, (await device(accepted)).client)).status).toBe(200);
    }
  });

  it.each([
    ['RSA', () => generateKeyPairSync('rsa', { modulusLength: 2048 })],
    ['P-384', () => generateKeyPairSync('ec', { namedCurve: 'P-384' })],
    ['P-521', () => generateKeyPairSync('ec', { namedCurve: 'P-521' })],
  ])('accepts a key %s below the intermediate', async (_, keys) => {
    const { client, identityId } = await device({ keys: keys() });
    expect((await signInWith(server, client)).body.data).toMatchObject({ identityId });
  });

  it('refuses a disabled identity, a policy without certificates, and ends their sessions', async () => {
    const { client, identityId } = await device();
    const first = await signInWith(server, client);
    await manage('POST', `identities/${identityId}/disable`, { durationMinutes: 0 });
    await expectRefused(client, 'identity disabled');
    expect((await sessionOf(first)).status).toBe(401);
    await manage('POST', `identities/${identityId}/enable`);
    expect((await sessionOf(first)).status).toBe(401);
    const second = await signInWith(server, client);
    const cert = { allowed: false, allowExpiredCerts: false };
    const primary = { ...policyRules.primary, cert };
    const authPolicyId = await addPolicy(server, admin, { name: `no certificates ${Math.random()}`, primary });
    await manage('PATCH', `identities/${identityId}`, { authPolicyId });
    await expectRefused(client, 'method not allowed');
    expect((await sessionOf(second)).status).toBe(401);
  });

  it('the session ends for good with its authenticator', async () => {
    const { client, authenticatorId } = await device();
    const answer = await signInWith(server, client);
    expect((await manage('DELETE', `authenticators/${authenticatorId}`)).status).toBe(200);
    expect((await sessionOf(answer)).status).toBe(401);
    await expectRefused(client, 'unknown certificate');
  });

  it('compares the whole certificate, not only its SHA-1', async () => {
    const { client, authenticatorId } = await device();
    const another = networkClient(network, 'another');
    await sql(server, `update "authenticators" set "certPem" = '${another.leafPem}' where "id" = '${authenticatorId}'`);
    await expectRefused(client, 'another certificate with the same fingerprint');
  });

  it('knows the certificate in whatever lines it was stored, also with a chain behind it', async () => {
    const { client, authenticatorId } = await device();
    const [begin = '', ...lines] = client.leafPem.trim().split('\n');
    const oneLine = `a comment\n${begin}\r\n${lines.slice(0, -1).join('')}\r\n${lines.at(-1)}\r\n`;
    for (const stored of [oneLine, client.leafPem + network.intermediatePem]) {
      await sql(server, `update "authenticators" set "certPem" = '${stored}' where "id" = '${authenticatorId}'`);
      expect((await signInWith(server, client)).status).toBe(200);
    }
    const behind = networkClient(network, 'another').leafPem + client.leafPem;
    await sql(server, `update "authenticators" set "certPem" = '${behind}' where "id" = '${authenticatorId}'`);
    await expectRefused(client, 'another certificate with the same fingerprint');
  });

  it('stores the certificate in an authenticator that has only its fingerprint', async () => {
    const { client, authenticatorId } = await device();
    await sql(server, `update "authenticators" set "certPem" = '' where "id" = '${authenticatorId}'`);
    const answers = await Promise.all(Array.from({ length: 5 }, () => signInWith(server, client)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect((await authenticator(authenticatorId)).certPem).toBe(client.leafPem);
    const [row] = await sql(server, `select "publicKeyPrint" from "authenticators" where "id" = '${authenticatorId}'`);
    expect(row?.publicKeyPrint).toMatch(/^[0-9a-f]{64}$/);
  });

  it('shows a requested extension from the next request on, and in a header of the sign-in', async () => {
    const { client, authenticatorId, identityId } = await device();
    const first = await signInWith(server, client);
    await sql(server, `update "authenticators" set "isExtendRequested" = 1 where "id" = '${authenticatorId}'`);
    // As the handler does it, which changes the version of the entities.
    await manage('PATCH', `identities/${identityId}`, { name: `renamed ${identityId}` });
    const extension = { isCertExtendRequested: true };
    expect((await sessionOf(first)).body.data).toMatchObject(extension);
    expect((await sessionOf(first)).body.data).not.toHaveProperty('isCertKeyRollRequested');
    const second = await signInWith(server, client);
    expect(second.body.data).toMatchObject(extension);
    expect(second.headers['ziti-authenticator-extend-requested']).toBe('true');
    const listed = await manage('GET', `api-sessions/${second.body.data.id}`);
    expect(listed.body.data).toMatchObject(extension);
  });

  it('ignores certificates in headers', async () => {
    const { client } = await device();
    const other = await device();
    const text = encodeURIComponent(other.client.leafPem);
    const base64 = other.client.der.toString('base64');
    const headers = {
      'x-client-cert': text,
      'x-client-certpem': base64,
      'x-edge-router-proxy-request': '1',
      'ssl-client-cert': text,
      'x-ssl-client-cert': text,
      'x-forwarded-client-cert': `Cert="${text}"`,
      'client-cert': `:${base64}:`,
      forwarded: 'for=127.0.0.1;proto=https',
    };
    expect(await server.wire('POST', certificateSignIn, { body: {}, headers })).toMatchObject(refused);
    const answer = await wireOf(server, client)('POST', certificateSignIn, { body: {}, headers });
    expect(answer.body.data.identityId).not.toBe(other.identityId);
  });

  it('opens a partial session for an identity with TOTP', async () => {
    const { client, identityId } = await device();
    const first = await signInWith(server, client);
    const { totp } = await enrollTotp(server.wire, first.body.data.token);
    const second = await signInWith(server, client);
    expect(second.body.data).toMatchObject({ identityId, isMfaRequired: true, isMfaComplete: false });
    const { token } = second.body.data;
    expect((await server.wire('GET', '/edge/client/v1/current-identity/authenticators', { token })).status).toBe(401);
    const code = await totp.next();
    expect((await server.wire('POST', '/edge/client/v1/authenticate/mfa', { token, body: { code } })).status).toBe(200);
    expect((await server.wire('GET', '/edge/client/v1/current-identity/authenticators', { token })).status).toBe(200);
  });

  it('a concurrent deletion of the identity leaves no session', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { client, identityId } = await device();
      expect((await sessionOf(await signInWith(server, client))).status).toBe(200);
      const [answers] = await Promise.all([
        Promise.all(Array.from({ length: 4 }, () => signInWith(server, client))),
        manage('DELETE', `identities/${identityId}`),
      ]);
      // Before a request with such a session, which would remove it.
      expect((await manage('GET', `api-sessions?filter=identity="${identityId}"`)).body.data).toEqual([]);
      for (const answer of answers) {
        expect([200, 401]).toContain(answer.status);
        if (answer.status === 200) expect((await sessionOf(answer)).status).toBe(401);
      }
    }
  });

  it('an administrator with a certificate of the network can administer, with one of a third party it does not count', async () => {
    const members = { isAdmin: true };
    const list = await manage('GET', 'identities?filter=isDefaultAdmin=true');
    const rootId = list.body.data[0].id as string;
    const disable = () => manage('POST', `identities/${rootId}/disable`, { durationMinutes: 1 });
    const thirdParty = createTestCa('a third party').client('an administrator');
    await addDevice(server, admin, { client: thirdParty, members, isIssuedByNetwork: false });
    expect(await disable()).toMatchObject({ status: 409, body: { error: { code: 'LAST_ADMINISTRATOR' } } });
    const { client, identityId, authenticatorId } = await device({}, members);
    expect((await disable()).status).toBe(200);
    const { token } = (await signInWith(server, client)).body.data;
    const cert = { allowed: false, allowExpiredCerts: true };
    const taken = await server.wire('PATCH', '/edge/management/v1/auth-policies/default', {
      token,
      body: { primary: { cert } },
    });
    expect(taken.body.error).toMatchObject({ code: 'LAST_ADMINISTRATOR', cause: { field: 'primary.cert.allowed' } });
    const deleted = await server.wire('DELETE', `/edge/management/v1/authenticators/${authenticatorId}`, { token });
    expect(deleted.body.error.code).toBe('LAST_ADMINISTRATOR');
    expect((await server.wire('POST', `/edge/management/v1/identities/${rootId}/enable`, { token })).status).toBe(200);
    admin = await server.signIn();
    expect((await manage('DELETE', `identities/${identityId}`)).status).toBe(200);
  });

  it('an administrator whose certificate has expired counts only as long as its policy allows that', async () => {
    const list = await manage('GET', 'identities?filter=isDefaultAdmin=true');
    const rootId = list.body.data[0].id as string;
    const expired = { notAfter: new Date(Date.now() - hour), notBefore: new Date(Date.now() - 2 * hour) };
    const { client, identityId } = await device(expired, { isAdmin: true });
    const disable = () => manage('POST', `identities/${rootId}/disable`, { durationMinutes: 1 });
    const allowExpiredCerts = (allowed: boolean, token = admin) => {
      const body = { primary: { cert: { allowed: true, allowExpiredCerts: allowed } } };
      return server.wire('PATCH', '/edge/management/v1/auth-policies/default', { token, body });
    };
    expect((await allowExpiredCerts(false)).status).toBe(200);
    expect(await disable()).toMatchObject({ status: 409, body: { error: { code: 'LAST_ADMINISTRATOR' } } });
    expect((await allowExpiredCerts(true)).status).toBe(200);
    expect((await disable()).status).toBe(200);
    const { token } = (await signInWith(server, client)).body.data;
    const { error } = (await allowExpiredCerts(false, token)).body;
    expect(error).toMatchObject({ code: 'LAST_ADMINISTRATOR', cause: { field: 'primary.cert.allowExpiredCerts' } });
    expect((await server.wire('POST', `/edge/management/v1/identities/${rootId}/enable`, { token })).status).toBe(200);
    admin = await server.signIn();
    expect((await manage('DELETE', `identities/${identityId}`)).status).toBe(200);
  });
});

function permutations<Value>(values: readonly Value[]): Value[][] {
  if (values.length <= 1) return [[...values]];
  return values.flatMap((value, at) => permutations(values.toSpliced(at, 1)).map((rest) => [value, ...rest]));
}
