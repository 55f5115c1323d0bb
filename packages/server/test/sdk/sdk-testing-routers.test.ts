import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { enrollRouter, RouterDouble } from '@edge-controller/router-double';
import type { NodeEdgeClient } from '@edge-controller/sdk/node';
import type { TestController } from '@edge-controller/sdk/testing';
import { startTestController } from '@edge-controller/sdk/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { signIn } from '../routers/router-double/routed-network.ts';

let controller: TestController;
beforeAll(async () => {
  controller = await startTestController();
});
afterAll(() => controller[Symbol.asyncDispose]());

const shown = (id: string) => controller.admin.management.edgeRouters.get(id);

describe('a router of a test controller', () => {
  it('is online, with what the test wants', async () => {
    await using router = await controller.startRouter({ name: 'berlin', roleAttributes: ['eu'], cost: 7 });
    expect(router).toMatchObject({ name: 'berlin', isOnline: true });
    expect(await shown(router.id)).toMatchObject({
      ...{ name: 'berlin', roleAttributes: ['eu'], cost: 7, isOnline: true, isVerified: true },
      ...{ hostname: '127.0.0.1', supportedProtocols: { tls: router.url } },
    });
  });

  it('can be used by every identity for every service, unless the test has policies of its own', async () => {
    await using one = await controller.startRouter();
    await using two = await controller.startRouter({ policies: false });
    const { management } = controller.admin;
    const policies = [management.edgeRouterPolicies, management.serviceEdgeRouterPolicies];
    for (const { list } of policies) {
      expect((await list()).data).toMatchObject([{ name: 'all test routers', edgeRouterRoles: ['#all'] }]);
    }
    const { id: serviceId } = await controller.createService();
    const edge = await (await controller.createIdentity()).signIn();
    const { edgeRouters } = await edge.sessions.create({ serviceId, type: 'Dial' });
    expect(edgeRouters.map(({ name, supportedProtocols }) => [name, supportedProtocols])).toEqual(
      expect.arrayContaining([
        [one.name, { tls: one.url }],
        [two.name, { tls: two.url }],
      ]),
    );
  });

  it('stops, dies, and starts again at the same address', async () => {
    const router = await controller.startRouter();
    const { url } = router;
    for (const end of [() => router.stop(), async () => router.kill()]) {
      await end();
      await vi.waitFor(async () => expect((await shown(router.id)).isOnline).toBe(false));
      expect(router.isOnline).toBe(false);
      await expect(router.whenOnline()).rejects.toThrow('stopped');
      await router.restart();
      expect([router.url, (await shown(router.id)).supportedProtocols]).toEqual([url, { tls: url }]);
    }
    await router.stop();
  });

  it('connects again when it or the controller has lost the other one', async () => {
    await using router = await controller.startRouter();
    router.disconnect();
    expect(router.isOnline).toBe(false);
    await router.whenOnline();
    await controller.restart();
    await router.whenOnline();
    expect((await shown(router.id)).isOnline).toBe(true);
  });

  it('keeps an API session alive while an application is connected', async () => {
    await using other = await startTestController({ sessionTimeout: 60_000 });
    await using router = await other.startRouter({ heartbeatInterval: 20 });
    const identity = await signIn(other);
    const application = await identity.connect(router);
    await vi.waitFor(() => expect(router.state.applications).toBe(1));
    const { management } = other.admin;
    const expiresAt = async () => {
      const { data } = await management.apiSessions.list({ filter: `identity = "${identity.identityId}"` });
      return data[0]?.lastActivityAt ?? '';
    };
    const before = await expiresAt();
    await vi.waitFor(async () => expect((await expiresAt()) > before).toBe(true));
    application.close();
  });

  it('stops with the controller', async () => {
    const other = await startTestController();
    const router = await other.startRouter();
    await other[Symbol.asyncDispose]();
    expect(router.isOnline).toBe(false);
  });
});

describe('an application under test', () => {
  it('hosts and dials through the router, and loses its connections with its API session', async () => {
    await using router = await controller.startRouter();
    const { name } = await controller.createService();
    const [server, client] = [await controller.createIdentity(), await controller.createIdentity({ name: 'Ada' })];
    await using binding = await (await server.signIn()).bind(name);
    const edge = await client.signIn();
    const connection = await edge.dial(name);
    const served = (await binding[Symbol.asyncIterator]().next()).value;
    expect([served?.callerId, router.state.terminators.length, router.state.circuits]).toEqual([
      ...['Ada', 1, [connection.circuitId]],
    ]);
    served?.pipe(served);
    connection.write('hello');
    expect(String((await once(connection, 'data'))[0])).toBe('hello');
    const lost = once(connection, 'close');
    await controller.revokeSessions(client);
    await expect(lost).rejects.toMatchObject({ code: 'SESSION_ENDED' });
  });

  it('comes back after the death of its router', async () => {
    await using router = await controller.startRouter();
    const { name } = await controller.createService();
    await using _ = await hosted(name, await (await controller.createIdentity()).signIn());
    const edge = await (await controller.createIdentity()).signIn();
    const lost = once(await edge.dial(name), 'close');
    router.kill();
    await expect(lost).rejects.toThrow();
    await router.restart();
    const again = await vi.waitFor(() => edge.dial(name));
    again.destroy();
  });

  it('may use only the services that the test says', async () => {
    await using _ = await controller.startRouter();
    const { id } = await controller.createService({ dial: ['#staff'], bind: [] });
    const typesOf = async (roleAttributes: string[]) => {
      const edge = await (await controller.createIdentity({ roleAttributes })).signIn();
      const { data } = await edge.client.services.list({ filter: `id = "${id}"` });
      return data.flatMap(({ permissions }) => permissions);
    };
    expect([await typesOf([]), await typesOf(['staff'])]).toEqual([[], ['Dial']]);
  });
});

/** A host that accepts all connections. */
async function hosted(name: string, edge: NodeEdgeClient) {
  const binding = await edge.bind(name);
  void (async () => {
    for await (const connection of binding) connection.on('error', () => undefined).pipe(connection);
  })();
  return binding;
}

describe('the double behind it', () => {
  const enrolled = async () => {
    const { id } = await controller.admin.management.edgeRouters.create({ name: `r ${Math.random()}` });
    const { enrollmentJwt } = await shown(id);
    return { jwt: enrollmentJwt ?? '', identity: await enrollRouter({ jwt: enrollmentJwt ?? '' }) };
  };

  it('enrolls with two certificates for one key', async () => {
    const { identity, jwt } = await enrolled();
    const [cert, serverCert] = [new X509Certificate(identity.cert), new X509Certificate(identity.serverCert)];
    expect([cert.subject, serverCert.subjectAltName]).toEqual([
      `CN=${identity.id}`,
      'DNS:localhost, IP Address:127.0.0.1',
    ]);
    expect(cert.publicKey.equals(serverCert.publicKey)).toBe(true);
    expect(identity.controllers).toHaveLength(1);
    await expect(enrollRouter({ jwt })).rejects.toThrow('400 INVALID_ENROLLMENT_TOKEN');
    await using other = await startTestController();
    const [header, , signature] = jwt.split('.');
    const claims = { iss: other.url, sub: identity.id, jti: 'x' };
    const forged = [header, Buffer.from(JSON.stringify(claims)).toString('base64url'), signature].join('.');
    await expect(enrollRouter({ jwt: forged })).rejects.toThrow('not signed with the key of this controller');
  });

  it('renews its certificates over the control channel, and connects with the new ones', async () => {
    const { identity } = await enrolled();
    await using router = await RouterDouble.start({ identity, controllers: [controller.routersAddress] });
    await router.whenOnline();
    const renewed = await router.extendCertificates();
    expect(renewed.cert).not.toBe(identity.cert);
    const fingerprint = new X509Certificate(renewed.cert).fingerprint.replaceAll(':', '').toLowerCase();
    expect(await shown(router.id)).toMatchObject({ isVerified: true, fingerprint });
    router.disconnect();
    expect(router.isConnected).toBe(false);
    await router.whenOnline();
    router.kill();
    await using old = await RouterDouble.start({ identity, controllers: [controller.routersAddress] });
    await expect(old.whenOnline(300)).rejects.toThrow('not online');
  });

  it('is online in less than 200 ms', async () => {
    const { identity } = await enrolled();
    const times: number[] = [];
    for (let run = 0; run < 5; run += 1) {
      const startedAt = performance.now();
      await using router = await RouterDouble.start({ identity, controllers: [controller.routersAddress] });
      await router.whenOnline();
      times.push(performance.now() - startedAt);
    }
    expect(Math.min(...times)).toBeLessThan(200);
  });
});
