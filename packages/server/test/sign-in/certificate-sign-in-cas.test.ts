import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { basicConstraints, email, keyCertSign, keyUsage, uri } from '../support/certificate-extensions.ts';
import { addDevice, addIdentity, networkClient, networkOf, signInWith } from '../support/certificate-users.ts';
import { nameOf } from '../support/certificate-writer.ts';
import type { TestController } from '../support/controller.ts';
import { startController, storePairs } from '../support/controller.ts';
import { addSigner } from '../support/external-jwt-signers.ts';
import { addCa, addVerifiedCa } from '../support/registered-cas.ts';
import type { WireAnswer } from '../support/request.ts';
import { sql } from '../support/sql.ts';
import type { TestCa, TestClient } from '../support/test-ca.ts';
import { clientOf, createTestCa } from '../support/test-ca.ts';

const refused = { status: 401, body: { error: { code: 'INVALID_AUTH' } } };
const own = '/edge/client/v1/current-api-session';
const byCommonName = {
  location: 'COMMON_NAME',
  matcher: 'ALL',
  matcherCriteria: '',
  parser: 'NONE',
  parserCriteria: '',
  index: 0,
};
let names = 0;
const newName = () => {
  names += 1;
  return `name-${names}`;
};

describe.each(storePairs)('sign-in with a certificate of a third-party CA on $stores', ({ open }) => {
  let server: TestController;
  let admin: string;
  const reasons: string[] = [];

  beforeAll(async () => {
    server = await startController(await open());
    admin = await server.signIn();
    server.controller.events.on('authentication.failed', ({ reason }) => reasons.push(reason));
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const manage = (method: string, path: string, body?: object) =>
    server.wire(method, `/edge/management/v1/${path}`, { token: admin, ...(body ? { body } : {}) });
  const statusOf = async (answer: WireAnswer) =>
    (await server.wire('GET', own, { token: answer.body.data.token })).status;
  const sessionsOf = async (identityId: string) =>
    (await manage('GET', `api-sessions?filter=identity="${identityId}"`)).body.data;
  /** A CA and an identity that has enrolled a certificate of it. */
  async function caWithDevice(client: (ca: TestCa) => TestClient = (ca) => ca.client('a device')) {
    const ca = createTestCa(newName());
    const caId = await addVerifiedCa(server, admin, ca);
    const device = await addDevice(server, admin, { client: client(ca), isIssuedByNetwork: false });
    return { ca, caId, ...device };
  }
  async function expectRefused(client: TestClient, reason: string): Promise<void> {
    expect(await signInWith(server, client)).toMatchObject(refused);
    expect(reasons.at(-1)).toBe(reason);
  }
  const setEnabled = (caId: string, isAuthEnabled: boolean) => manage('PATCH', `cas/${caId}`, { isAuthEnabled });

  it('opens a session that cannot be extended', async () => {
    const { client, identityId, authenticatorId } = await caWithDevice();
    const answer = await signInWith(server, client);
    expect(answer.body.data).toMatchObject({ identityId, authenticatorId, isCertExtendable: false });
    expect(answer.body.data).not.toHaveProperty('improperClientCertChain');
    expect(await statusOf(answer)).toBe(200);
  });

  it('accepts an intermediate below the CA only when the client sends it, and one that is a CA itself', async () => {
    const { client, ca } = await caWithDevice((above) => above.intermediate(newName()).client('a device'));
    expect((await signInWith(server, client)).status).toBe(200);
    const leafAlone = clientOf(client.keys, [client.leafPem]);
    await expectRefused(leafAlone, 'the leaf breaks the rule unknown-issuer');
    const below = ca.intermediate(newName());
    const other = below.client('another device');
    await addVerifiedCa(server, admin, below);
    await addDevice(server, admin, { client: other, isIssuedByNetwork: false });
    expect((await signInWith(server, clientOf(other.keys, [other.leafPem]))).status).toBe(200);
  });

  it.each([
    ['RSA above EC', true, false],
    ['EC above RSA', false, true],
    ['RSA above RSA', true, true],
  ])('accepts %s', async (_, isCaRsa, isLeafRsa) => {
    const rsa = () => generateKeyPairSync('rsa', { modulusLength: 2048 });
    const ca = createTestCa(newName(), isCaRsa ? { keys: rsa() } : {});
    await addVerifiedCa(server, admin, ca);
    const client = ca.client('a device', isLeafRsa ? { keys: rsa() } : {});
    await addDevice(server, admin, { client, isIssuedByNetwork: false });
    expect((await signInWith(server, client)).status).toBe(200);
  });

  it('accepts a leaf of version 1 without extensions', async () => {
    const { client } = await caWithDevice((ca) => ca.client('an old device', { version: 1, extensions: [] }));
    expect((await signInWith(server, client)).status).toBe(200);
  });

  it('a CA that is not verified or not enabled signs nobody in', async () => {
    const [unverified, disabled] = [createTestCa(), createTestCa()];
    await addCa(server, admin, { isAuthEnabled: true }, unverified);
    await addVerifiedCa(server, admin, disabled, { isAuthEnabled: false });
    for (const ca of [unverified, disabled]) {
      const client = ca.client('a device');
      await addDevice(server, admin, { client, isIssuedByNetwork: false });
      await expectRefused(client, 'the leaf breaks the rule unknown-issuer');
    }
  });

  it('a CA below a root of the network answers for its certificates, whatever chain the client sends', async () => {
    const ca = createTestCa(newName(), { issuer: networkOf(server).root });
    const client = ca.client('a device');
    const whole = clientOf(client.keys, [client.leafPem, ca.certPem]);
    await addDevice(server, admin, { client, isIssuedByNetwork: false });
    const none = 'no CA that signs in has issued the certificate';
    await expectRefused(whole, none);
    const caId = await addVerifiedCa(server, admin, ca);
    const answers = [await signInWith(server, client), await signInWith(server, whole)];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect((await setEnabled(caId, false)).status).toBe(200);
    for (const answer of answers) expect(await statusOf(answer)).toBe(401);
    await expectRefused(whole, none);
    expect((await manage('DELETE', `cas/${caId}`)).status).toBe(200);
    await expectRefused(whole, none);
  });

  it('a CA that is switched off ends its sessions for good, and signs in again when it is on', async () => {
    const { caId, client, identityId } = await caWithDevice();
    const other = await caWithDevice();
    const before = [await signInWith(server, client), await signInWith(server, client)];
    const ofOther = await signInWith(server, other.client);
    expect((await setEnabled(caId, false)).status).toBe(200);
    expect(await sessionsOf(identityId)).toEqual([]);
    await expectRefused(client, 'the leaf breaks the rule unknown-issuer');
    expect((await setEnabled(caId, true)).status).toBe(200);
    const after = await signInWith(server, client);
    expect(after.status).toBe(200);
    for (const answer of before) expect(await statusOf(answer)).toBe(401);
    for (const answer of [after, ofOther]) expect(await statusOf(answer)).toBe(200);
    expect(await sessionsOf(identityId)).toHaveLength(1);
  });

  it('a session that the session store still has has ended with its CA', async () => {
    const { caId, client, identityId } = await caWithDevice();
    const answer = await signInWith(server, client);
    await sql(server, `update "cas" set "authVersion" = "authVersion" + 1 where "id" = '${caId}'`);
    // No effect was stored, so only the next version of the entities shows it.
    await manage('PATCH', `identities/${identityId}`, { name: `renamed ${newName()}` });
    expect(await statusOf(answer)).toBe(401);
    expect(await sessionsOf(identityId)).toEqual([]);
  });

  it('a CA that is deleted ends its sessions; registered again it must be verified, and ends no more', async () => {
    const { ca, caId, client, identityId } = await caWithDevice();
    const before = await signInWith(server, client);
    expect((await manage('DELETE', `cas/${caId}`)).status).toBe(200);
    expect(await sessionsOf(identityId)).toEqual([]);
    expect(await statusOf(before)).toBe(401);
    await expectRefused(client, 'the leaf breaks the rule unknown-issuer');
    const again = await addCa(server, admin, { isAuthEnabled: true }, ca);
    await expectRefused(client, 'the leaf breaks the rule unknown-issuer');
    await manage('DELETE', `cas/${again}`);
    await addVerifiedCa(server, admin, ca);
    const after = await signInWith(server, client);
    expect(after.body.data).toMatchObject({ identityId });
    expect(await statusOf(after)).toBe(200);
    expect(await statusOf(before)).toBe(401);
  });

  it('a CA that is deleted or switched off while its certificates sign in leaves no session', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { caId, client, identityId } = await caWithDevice();
      let isOver = false;
      const answers: WireAnswer[] = [];
      const clients = Array.from({ length: 4 }, async () => {
        while (!isOver) answers.push(await signInWith(server, client));
        answers.push(await signInWith(server, client));
      });
      expect((await signInWith(server, client)).status).toBe(200);
      const ended = round % 2 === 0 ? await manage('DELETE', `cas/${caId}`) : await setEnabled(caId, false);
      expect(ended.status).toBe(200);
      isOver = true;
      await Promise.all(clients);
      for (const answer of answers) {
        expect([200, 401]).toContain(answer.status);
        if (answer.status === 200) expect(await statusOf(answer)).toBe(401);
      }
      expect(answers.slice(-4).map(({ status }) => status)).toEqual([401, 401, 401, 401]);
      expect(await sessionsOf(identityId)).toEqual([]);
    }
  });

  describe('with a claim', () => {
    let ca: TestCa;
    let caId: string;
    beforeAll(async () => {
      ca = createTestCa(newName());
      caId = await addVerifiedCa(server, admin, ca, { externalIdClaim: byCommonName });
    });
    const named = async () => {
      const externalId = newName();
      return {
        externalId,
        identityId: await addIdentity(server, admin, { externalId }),
        client: ca.client(externalId),
      };
    };

    it('signs in the identity that the claim names, without an authenticator', async () => {
      const { client, identityId } = await named();
      const answers = await Promise.all(Array.from({ length: 4 }, () => signInWith(server, client)));
      for (const answer of answers) {
        expect(answer.body.data).toMatchObject({ identityId, authenticatorId: 'internal', isCertExtendable: false });
        expect(await statusOf(answer)).toBe(200);
      }
      const renewed = await signInWith(
        server,
        ca.client((await manage('GET', `identities/${identityId}`)).body.data.externalId),
      );
      expect(renewed.body.data).toMatchObject({ identityId });
    });

    it('counts the fingerprint only when the claim finds nothing in the certificate', async () => {
      const client = ca.client('nobody has this external id');
      await addDevice(server, admin, { client, isIssuedByNetwork: false });
      await expectRefused(client, 'unknown external id');
      const unnamed = ca.client(nameOf(['2.5.4.10', 'no common name']), { names: [uri('device:1')] });
      await expectRefused(unnamed, 'unknown certificate');
      const { identityId, authenticatorId } = await addDevice(server, admin, {
        client: unnamed,
        isIssuedByNetwork: false,
      });
      const answer = await signInWith(server, unnamed);
      expect(answer.body.data).toMatchObject({ identityId, authenticatorId });
      expect(
        (await server.wire('GET', `${own}/certificates`, { token: answer.body.data.token })).body.data,
      ).toMatchObject([{ subject: 'O=no common name', fingerprint: unnamed.fingerprint }]);
    });

    it('does not name anybody by a certificate of the network or of another CA', async () => {
      const { externalId } = await named();
      await expectRefused(networkClient(networkOf(server), externalId), 'unknown certificate');
      const other = createTestCa(newName());
      await addVerifiedCa(server, admin, other);
      await expectRefused(other.client(externalId), 'unknown certificate');
      const below = ca.intermediate(newName());
      await addVerifiedCa(server, admin, below);
      await expectRefused(below.client(externalId), 'unknown certificate');
    });

    it('a filler chain names only by its leaf', async () => {
      const victim = await named();
      const unknownCa = createTestCa(newName());
      const outsider = unknownCa.client(victim.externalId);
      const pems = [victim.client.leafPem, ca.certPem, unknownCa.certPem];
      for (const others of [pems, pems.toReversed(), [ca.certPem, victim.client.leafPem]]) {
        expect(await signInWith(server, clientOf(outsider.keys, [outsider.leafPem, ...others]))).toMatchObject(refused);
        expect(reasons.at(-1)).toMatch(/ breaks the rule unknown-issuer$/);
      }
    });

    it('does not find an identity whose external id is bound to a signer of JWTs', async () => {
      const { client, identityId } = await named();
      const before = await signInWith(server, client);
      const signerId = await addSigner(server, admin);
      const bind = async (externalIdSignerId: string) =>
        (await manage('PATCH', `identities/${identityId}`, { externalIdSignerId })).status;
      expect(await bind(signerId)).toBe(200);
      await expectRefused(client, 'unknown external id');
      expect(await statusOf(before)).toBe(401);
      expect(await bind('')).toBe(200);
      expect(await statusOf(await signInWith(server, client))).toBe(200);
    });

    it('another external id, and a disabled identity, end the sessions for good', async () => {
      const { client, externalId, identityId } = await named();
      const first = await signInWith(server, client);
      expect((await manage('PATCH', `identities/${identityId}`, { externalId: newName() })).status).toBe(200);
      expect(await sessionsOf(identityId)).toEqual([]);
      expect(await statusOf(first)).toBe(401);
      await expectRefused(client, 'unknown external id');
      await manage('PATCH', `identities/${identityId}`, { externalId });
      const second = await signInWith(server, client);
      expect(await statusOf(second)).toBe(200);
      expect(await statusOf(first)).toBe(401);
      await manage('POST', `identities/${identityId}/disable`, { durationMinutes: 0 });
      await expectRefused(client, 'identity disabled');
      await manage('POST', `identities/${identityId}/enable`);
      expect(await statusOf(second)).toBe(401);
      expect((await signInWith(server, client)).status).toBe(200);
    });

    it('a concurrent change of the external id leaves no session', async () => {
      for (let round = 0; round < 4; round += 1) {
        const { client, identityId } = await named();
        expect(await statusOf(await signInWith(server, client))).toBe(200);
        const [answers] = await Promise.all([
          Promise.all(Array.from({ length: 4 }, () => signInWith(server, client))),
          manage('PATCH', `identities/${identityId}`, { externalId: newName() }),
        ]);
        // Before a request with such a session, which would remove it.
        expect(await sessionsOf(identityId)).toEqual([]);
        for (const answer of answers) if (answer.status === 200) expect(await statusOf(answer)).toBe(401);
      }
    });

    it('a changed claim names others and ends the sessions of the former one', async () => {
      const { client, identityId, externalId } = await named();
      const before = await signInWith(server, client);
      const split = { ...byCommonName, location: 'SAN_EMAIL', parser: 'SPLIT', parserCriteria: '@' };
      expect((await manage('PATCH', `cas/${caId}`, { externalIdClaim: split })).status).toBe(200);
      expect(await statusOf(before)).toBe(401);
      await expectRefused(client, 'unknown certificate');
      const mail = ca.client('no name', { names: [uri('a:b'), email(`${externalId}@example.org`)] });
      expect((await signInWith(server, mail)).body.data).toMatchObject({ identityId });
      await manage('PATCH', `cas/${caId}`, { externalIdClaim: byCommonName });
    });
  });

  it('refuses a chain whose issuer is a CA with too short a path length', async () => {
    const extensions = [basicConstraints(true, 0), keyUsage(keyCertSign)];
    const ca = createTestCa(newName(), { extensions });
    await addVerifiedCa(server, admin, ca);
    const client = ca.intermediate(newName()).client('a device');
    await addDevice(server, admin, { client, isIssuedByNetwork: false });
    await expectRefused(client, 'issuer 1 breaks the rule path-length');
  });
});
