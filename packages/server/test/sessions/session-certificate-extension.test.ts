import { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addDevice, networkClient, networkOf, signInWith } from '../support/certificate-users.ts';
import { newKeys } from '../support/certificate-writer.ts';
import type { TestController } from '../support/controller.ts';
import { startController, storePairs } from '../support/controller.ts';
import { writeCsr } from '../support/csr.ts';
import { wireOf } from '../support/request.ts';
import { clientOf } from '../support/test-ca.ts';

const client = '/edge/client/v1';

describe.each(storePairs)('certificates of an API session after an extension on $stores', ({ open }) => {
  let server: TestController;
  let admin: string;

  beforeAll(async () => {
    server = await startController(await open());
    admin = await server.signIn();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it('are the new certificate instead of the old one, in the session that has confirmed it', async () => {
    const old = networkClient(networkOf(server), 'a device');
    const { authenticatorId } = await addDevice(server, admin, { client: old });
    const wire = wireOf(server, old);
    const token: string = (await signInWith(server, old)).body.data.token;
    const other: string = (await signInWith(server, old)).body.data.token;
    const list = async (of: string) =>
      (await server.wire('GET', `${client}/current-api-session/certificates`, { token: of })).body.data;
    const csr = writeCsr('a device', { keys: newKeys() });
    const issued = await server.wire('POST', `${client}/current-api-session/certificates`, { token, body: { csr } });

    const path = `${client}/current-identity/authenticators/${authenticatorId}`;
    const keys = newKeys();
    const clientCertCsr = writeCsr('a device', { keys });
    const extended = await wire('POST', `${path}/extend`, { token, body: { clientCertCsr } });
    expect(extended.status, extended.text).toBe(200);
    const { clientCert } = extended.body.data;
    expect(await list(token)).toHaveLength(2);
    const verified = await wire('POST', `${path}/extend-verify`, { token, body: { clientCert } });
    expect([verified.status, verified.body]).toEqual([200, { data: {}, meta: {} }]);

    const renewed = clientOf(keys, [clientCert]);
    const rows: { id: string; fingerprint: string; certificate: string }[] = await list(token);
    expect(rows.map(({ fingerprint }) => fingerprint)).not.toContain(old.fingerprint);
    const added = rows.find(({ fingerprint }) => fingerprint === renewed.fingerprint);
    expect(new X509Certificate(added!.certificate).raw).toEqual(renewed.der);
    expect(rows.map(({ id }) => id).toSorted()).toEqual([added!.id, issued.body.data.id].toSorted());
    expect((await list(other)).map(({ fingerprint }: { fingerprint: string }) => fingerprint)).toEqual([
      old.fingerprint,
    ]);
    const next: string = (await signInWith(server, renewed)).body.data.token;
    expect(await list(next)).toMatchObject([{ fingerprint: renewed.fingerprint }]);
  });
});
