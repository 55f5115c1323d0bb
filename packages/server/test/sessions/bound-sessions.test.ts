import { createEdgeClient, enroll, mtls } from '@edge-controller/sdk/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addPolicy, authPolicies, policyRules } from '../support/auth-policies.ts';
import { addDevice, addIdentity, networkClient, networkOf, signInWith } from '../support/certificate-users.ts';
import { newKeys } from '../support/certificate-writer.ts';
import type { TestController } from '../support/controller.ts';
import { startController, storePairs } from '../support/controller.ts';
import { writeCsr } from '../support/csr.ts';
import { pending } from '../support/enrollments.ts';
import { addVerifiedCa } from '../support/registered-cas.ts';
import { wireOf } from '../support/request.ts';
import type { TestClient } from '../support/test-ca.ts';
import { clientOf, createTestCa } from '../support/test-ca.ts';

const own = '/edge/client/v1/current-api-session';
const identities = '/edge/management/v1/identities';

describe.each(storePairs)('an auth policy that binds API sessions to certificates, on $stores', ({ open }) => {
  let server: TestController;
  let admin: string;
  let authPolicyId: string;

  beforeAll(async () => {
    server = await startController(await open());
    admin = await server.signIn();
    const primary = { ...policyRules.primary, cert: { allowed: true, allowExpiredCerts: true, bindSessions: true } };
    authPolicyId = await addPolicy(server, admin, { name: 'bound', primary });
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const device = (members: Record<string, unknown> = { authPolicyId }) =>
    addDevice(server, admin, { client: networkClient(networkOf(server), 'a device'), members });
  const opened = async (client: TestClient): Promise<string> => (await signInWith(server, client)).body.data.token;
  const status = async (token: string, client: Pick<TestClient, 'key' | 'cert'> | null) => {
    const wire = client ? wireOf(server, client) : server.wire;
    return (await wire('GET', own, { token })).status;
  };
  const policy = async () => (await server.wire('GET', `${authPolicies}/${authPolicyId}`, { token: admin })).body.data;

  it('refuses the token without the certificate, and with another one, and the session stays', async () => {
    const { client } = await device();
    const other = await device();
    const token = await opened(client);
    expect(await status(token, client)).toBe(200);
    const stolen = await server.wire('GET', own, { token });
    expect([stolen.status, stolen.body.error.code]).toEqual([401, 'UNAUTHORIZED']);
    expect(stolen.headers['www-authenticate']).toContain('invalid');
    const filler = { ...other.client, cert: other.client.cert + client.leafPem };
    const certificates = { 'x-client-certpem': encodeURIComponent(client.leafPem) };
    expect((await server.wire('GET', own, { token, headers: certificates })).status).toBe(401);
    expect([await status(token, other.client), await status(token, filler)]).toEqual([401, 401]);
    expect((await server.wire('DELETE', own, { token })).status).toBe(401);
    expect(await status(token, client)).toBe(200);
  });

  it('says so only while it binds, and other policies bind nothing', async () => {
    const { client } = await device();
    const token = await opened(client);
    expect((await policy()).primary.cert).toEqual({ allowed: true, allowExpiredCerts: true, bindSessions: true });
    const bind = async (bindSessions: boolean | null) => {
      const body = { primary: { cert: { bindSessions } } };
      return (await server.wire('PATCH', `${authPolicies}/${authPolicyId}`, { token: admin, body })).status;
    };
    expect([await bind(null), await status(token, null)]).toEqual([200, 401]);
    expect([await bind(false), await status(token, null)]).toEqual([200, 200]);
    expect((await policy()).primary.cert).toEqual({ allowed: true, allowExpiredCerts: true });
    expect([await bind(true), await status(token, null)]).toEqual([200, 401]);
    const usual = await device({});
    expect(await status(await opened(usual.client), null)).toBe(200);
  });

  it('accepts a certificate that was made in the session, and no longer when it is removed', async () => {
    const { client } = await device();
    const token = await opened(client);
    const wire = wireOf(server, client);
    const keys = newKeys();
    const created = await wire('POST', `${own}/certificates`, { token, body: { csr: writeCsr('x', { keys }) } });
    const { id, certificate } = created.body.data;
    const ephemeral = clientOf(keys, [certificate]);
    expect(await status(token, ephemeral)).toBe(200);
    expect((await wire('DELETE', `${own}/certificates/${id}`, { token })).status).toBe(200);
    expect(await status(token, ephemeral)).toBe(401);
  });

  it('holds for certificates of a third-party CA that names the identity, too', async () => {
    const ca = createTestCa();
    const claim = { location: 'COMMON_NAME', matcher: 'ALL', matcherCriteria: '', parser: 'NONE' };
    await addVerifiedCa(server, admin, ca, { externalIdClaim: { ...claim, parserCriteria: '', index: 0 } });
    const externalId = `device of ${ca.fingerprint}`;
    await addIdentity(server, admin, { authPolicyId, externalId });
    const [client, twin] = [ca.client(externalId), ca.client(externalId)];
    const token = await opened(client);
    expect([await status(token, client), await status(token, twin), await status(token, null)]).toEqual([
      200, 401, 401,
    ]);
  });

  it('does not concern sessions that a password has opened', async () => {
    const user = await server.addUser(admin);
    const body = { authPolicyId };
    expect((await server.wire('PATCH', `${identities}/${user.id}`, { token: admin, body })).status).toBe(200);
    expect(await status(await server.signIn(user), null)).toBe(200);
  });

  it('follows a renewed certificate: the SDK goes on with its session on new connections', async () => {
    const { identityId, jwt } = await pending(server, admin, `renews ${Math.random()}`, { ott: true });
    const body = { authPolicyId };
    expect((await server.wire('PATCH', `${identities}/${identityId}`, { token: admin, body })).status).toBe(200);
    const identity = await enroll(jwt);
    const edge = createEdgeClient(identity.url, { fetch: mtls(identity), retries: 0 });
    const { id } = await edge.signIn.certificate();
    const { token } = await edge.client.currentApiSession.get();
    const renewed = await edge.extendCertificate();
    expect((await edge.client.currentApiSession.get()).id).toBe(id);
    const [before, after] = [identity, renewed].map(({ key = '', cert = '' }) => ({ key, cert }));
    expect([await status(token, before ?? null), await status(token, after ?? null)]).toEqual([401, 200]);
  });
});
