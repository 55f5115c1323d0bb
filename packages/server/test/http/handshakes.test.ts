import { setTimeout } from 'node:timers/promises';
import { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { addDevice, addIdentity, signInWith } from '../support/certificate-users.ts';
import type { TestController } from '../support/controller.ts';
import { startController } from '../support/controller.ts';
import { addVerifiedCa } from '../support/registered-cas.ts';
import { createWire } from '../support/request.ts';
import { clientOf, createTestCa } from '../support/test-ca.ts';

const byCommonName = {
  location: 'COMMON_NAME',
  matcher: 'ALL',
  matcherCriteria: '',
  parser: 'NONE',
  parserCriteria: '',
  index: 0,
};

describe('clients that present certificates', () => {
  let server: TestController;
  let admin: string;

  beforeAll(async () => {
    server = await startController({ signInRate: 0 });
    admin = await server.signIn();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  /** A client below two intermediates, which come in the wrong order. */
  function clientOutOfOrder(ca = createTestCa(), name = 'an outsider') {
    const above = ca.intermediate();
    const { key, cert, keys } = above.intermediate().client(name);
    const [leaf = '', below = '', first = ''] = cert.split(/(?<=-----END CERTIFICATE-----\n)/);
    return { key, keys, cert: leaf + first + below };
  }

  it('sign in with their issuers in any order, whatever an outsider sends meanwhile', async () => {
    const ca = createTestCa();
    await addVerifiedCa(server, admin, ca, { externalIdClaim: byCommonName });
    let isOver = false;
    const outsider = (async () => {
      while (!isOver) {
        await signInWith(server, clientOutOfOrder());
        await setTimeout(300);
      }
    })();
    const names = Array.from({ length: 24 }, (_, at) => `device ${at}`);
    const results: number[] = [];
    for (const externalId of names) {
      await addIdentity(server, admin, { externalId });
      results.push((await signInWith(server, clientOutOfOrder(ca, externalId))).status);
    }
    isOver = true;
    await outsider;
    expect(results).toEqual(names.map(() => 200));
  });

  it('are read without the call that leaks their memory, also when every response is 401', async () => {
    const ca = createTestCa();
    await addVerifiedCa(server, admin, ca, { isAuthEnabled: true });
    const client = clientOutOfOrder(ca, 'a disabled device');
    const device = { client: clientOf(client.keys, [client.cert]), isIssuedByNetwork: false };
    const { identityId } = await addDevice(server, admin, device);
    const path = `/edge/management/v1/identities/${identityId}/disable`;
    await server.wire('POST', path, { token: admin, body: { durationMinutes: 0 } });
    const signIn = async (localAddress: string) => {
      const wire = createWire(server.url, server.caFile, { ...client, localAddress });
      expect((await wire('POST', '/edge/client/v1/authenticate?method=cert', { body: {} })).status).toBe(401);
      wire.closeIdle();
    };
    const leaking = vi.spyOn(TLSSocket.prototype, 'getPeerX509Certificate');
    for (let at = 0; at < 20; at += 1) await signIn('127.0.1.9');
    expect(leaking).not.toHaveBeenCalled();
    // Somebody at this address has used an API session, so the first connections have no guard.
    for (let at = 0; at < 20; at += 1) await signIn('127.0.0.1');
    expect(leaking.mock.calls.length).toBeLessThan(3);
  });
});
