import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { createSealer } from '../../src/core/secrets/sealer.ts';
import type { ControllerOptions } from '../../src/index.ts';
import { newKeys } from '../support/certificate-writer.ts';
import { startController } from '../support/controller.ts';
import { writeCsr } from '../support/csr.ts';
import { inAnHour } from '../support/enrollments.ts';
import { oldEnrollment, openOldDatabase } from '../support/old-database.ts';
import { addVerifiedCa } from '../support/registered-cas.ts';
import { wireOf } from '../support/request.ts';
import { clientOf, createTestCa } from '../support/test-ca.ts';
import { emptyPlace, makeOldDatabase, password, places, sealKey, token as updbToken } from '../support/version-2.ts';

const management = '/edge/management/v1';
const ottToken = '1c2cbb0b-1f0a-4d6e-8d1c-3f8f0a7f1f11';
const jwt = 'header.claims.signature';

/** Adds an enrollment of method `ott`, which the version before could create and nobody could redeem. */
async function addOtt(options: ControllerOptions): Promise<void> {
  await using old = await openOldDatabase(options, '0008-administrators');
  const id = 'ott-anna';
  await old.insert('enrollments', oldEnrollment('anna', { id, method: 'ott', username: null, expiresAt: inAnHour() }));
  await old.insert('enrollmentTokens', {
    enrollmentId: id,
    tokenHash: createHash('sha256').update(ottToken).digest('base64url'),
    sealed: createSealer(sealKey).seal(JSON.stringify({ token: ottToken, jwt }), id),
  });
}

it.each(places)(
  'a database of the version before certificates can do all that a new one can, on $stores',
  async ({ open }) => {
    const options = await emptyPlace(open);
    await makeOldDatabase(options, Date.now());
    await addOtt(options);
    await using server = await startController(options);
    const admin = await server.signIn();
    const call = (method: string, path: string, body?: object) =>
      server.wire(method, management + path, { token: admin, ...(body && { body }) });
    const found = async (filter: string) =>
      (await call('GET', `/authenticators?${new URLSearchParams({ filter, limit: '1' })}`)).body.meta.pagination
        .totalCount;

    const { data, meta } = (await call('GET', '/authenticators?limit=100')).body;
    const all = meta.pagination.totalCount;
    expect(all).toBeGreaterThan(5);
    const anna = data.find(({ identityId }: { identityId: string }) => identityId === 'anna');
    expect(Object.keys(anna).sort()).toEqual(
      ['_links', 'createdAt', 'id', 'identity', 'identityId', 'method', 'tags', 'updatedAt', 'username'].sort(),
    );
    // One that is created now is found by the same filters.
    await server.addUser(admin);
    for (const flag of [
      'isIssuedByNetwork',
      'isExtendRequested',
      'isKeyRollRequested',
      'lastExtendRolledKeys',
      'lastAuthResolvedToRoot',
    ]) {
      expect(await found(`${flag} = false`), flag).toBe(all + 1);
    }
    expect(await found('certFingerprint = null')).toBe(all + 1);

    const keys = newKeys();
    const body = { clientCsr: writeCsr('anna', { keys }) };
    expect((await call('GET', '/enrollments/ott-anna')).body.data).toMatchObject({
      method: 'ott',
      token: ottToken,
      jwt,
    });
    const { cert } = (await server.wire('POST', `/enroll?token=${ottToken}`, { body })).body.data;
    const device = wireOf(server, clientOf(keys, [cert]));
    const signedIn = await device('POST', '/authenticate?method=cert', { body: {} });
    expect(signedIn.body.data).toMatchObject({ identityId: 'anna', isCertExtendable: true });
    expect(await found('isIssuedByNetwork = true')).toBe(1);
    await server.signIn({ username: 'anna', password });

    const reEnrolled = await call('POST', `/authenticators/${anna.id}/re-enroll`, { expiresAt: inAnHour() });
    expect(reEnrolled.status, reEnrolled.text).toBe(201);
    expect((await call('GET', `/enrollments/${reEnrolled.body.data.id}`)).body.data).toMatchObject({
      username: 'anna',
    });
    expect((await server.wire('POST', `/enroll?token=${updbToken}`, { body: { password } })).status).toBe(200);

    const ca = createTestCa('an organisation');
    const caId = await addVerifiedCa(server, admin, ca, { name: 'organisation' });
    expect((await wireOf(server, ca.client('pump'))('POST', '/enroll?method=ca', { raw: '' })).status).toBe(200);
    expect((await wireOf(server, ca.client('pump'))('POST', '/enroll?method=ca', { raw: '' })).status).toBe(200);
    expect((await call('DELETE', `/cas/${caId}`)).status).toBe(200);
  },
);
