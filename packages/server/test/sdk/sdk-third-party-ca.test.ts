import type { NodeEdgeClient } from '@edge-controller/sdk/node';
import { createEdgeClient, enroll, mtls } from '@edge-controller/sdk/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestController } from '../support/controller.ts';
import { adminCredentials, startController, storePairs } from '../support/controller.ts';
import { everythingOn } from '../support/registered-cas.ts';
import { createTestCa } from '../support/test-ca.ts';

describe.each(storePairs)('third-party CAs of the SDK against $stores', ({ open }) => {
  let server: TestController;
  let admin: NodeEdgeClient;
  const ca = createTestCa();
  let caId = '';

  beforeAll(async () => {
    server = await startController(await open());
    admin = createEdgeClient(server.url, { caFile: server.caFile });
    await admin.signIn.password(adminCredentials);
    const body = { name: 'factory', certPem: ca.certPem, identityRoles: ['made'], ...everythingOn };
    ({ id: caId } = await admin.management.cas.create(body));
    const { verificationToken = '' } = await admin.management.cas.get(caId);
    await admin.management.cas.verify(caId, ca.client(verificationToken).leafPem);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it('verifies a CA with a certificate in PEM', async () => {
    expect(await admin.management.cas.get(caId)).toMatchObject({ isVerified: true });
    await expect(admin.management.cas.verify(caId, ca.certPem)).rejects.toMatchObject({ code: 'CA_ALREADY_VERIFIED' });
  });

  it('enrolls a device with its own certificate, signs in, and cannot renew a certificate of the CA', async () => {
    const jwt = await admin.management.cas.jwt(caId);
    const identity = await enroll(jwt, ca.client('robot'));
    expect(identity).toMatchObject({ url: server.url, method: 'ca' });
    const edge = createEdgeClient(identity.url, { fetch: mtls(identity) });
    expect((await edge.signIn.certificate()).identity.name).toBe('factory-robot');
    await expect(edge.extendCertificate()).rejects.toMatchObject({ code: 'CAN_NOT_UPDATE_AUTHENTICATOR' });
    await expect(enroll(jwt, identity)).rejects.toMatchObject({ code: 'CERT_IN_USE' });
    await admin.management.cas.patch(caId, { isAuthEnabled: false });
    await expect(edge.client.currentApiSession.get()).rejects.toMatchObject({ status: 401 });
    await admin.management.cas.patch(caId, { isAuthEnabled: true });
    await edge.signIn.certificate();
  });

  it('redeems an enrollment for certificates of one CA', async () => {
    const { id } = await admin.management.identities.create({
      ...{ name: 'arm', type: 'Device', isAdmin: false },
      enrollment: { ottca: caId },
    });
    const { jwt = '' } = (await admin.management.identities.get(id)).enrollment.ottca ?? {};
    await expect(enroll(jwt, createTestCa().client('outsider'))).rejects.toMatchObject({ name: 'EdgeApiError' });
    await expect(enroll(jwt)).rejects.toMatchObject({ name: 'EdgeApiError' });
    const identity = await enroll(jwt, ca.client('arm'));
    expect(identity).toMatchObject({ method: 'ottca', id });
    const edge = createEdgeClient(identity.url, { fetch: mtls(identity) });
    expect((await edge.signIn.certificate()).identity.id).toBe(id);
  });
});
