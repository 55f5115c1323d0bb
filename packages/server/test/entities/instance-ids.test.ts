import type { TestController } from '@edge-controller/sdk/testing';
import { startTestController } from '@edge-controller/sdk/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../routers/edge-routers/eventually.ts';
import { bind } from '../routers/edge-routers/raw-requests.ts';
import { RawRouter } from '../routers/edge-routers/raw-router.ts';
import type { RoutedIdentity } from '../routers/router-double/routed-network.ts';
import { signIn } from '../routers/router-double/routed-network.ts';
import { storePairs } from '../support/controller.ts';
import { addClient, startRouterReplicas } from '../support/router-replicas.ts';

const instanceId = 'device-b';
const taken = { result: 'OTHER', msg: 'the instance id is that of another host' };
const success = { result: 'SUCCESS', msg: '' };

describe.each(storePairs)('an instance id of a service, on $stores', ({ open }) => {
  let controller: TestController;
  let [bob, mallory] = [] as unknown as [RoutedIdentity, RoutedIdentity];
  let router: RawRouter;
  let serviceId = '';
  let count = 0;
  beforeAll(async () => {
    controller = await startTestController(await open());
    // With its policies for routers.
    await (await controller.startRouter()).stop();
  });
  afterAll(() => controller[Symbol.asyncDispose]());
  beforeEach(async () => {
    ({ id: serviceId } = await controller.createService({ encryptionRequired: false }));
    [bob, mallory] = [await signIn(controller), await signIn(controller)];
    router = await RawRouter.enroll(controller);
  });
  afterEach(() => router.close());

  const management = () => controller.admin.management;
  const host = async (who: RoutedIdentity, said: Partial<Parameters<typeof bind>[1]> = {}, at = router) => {
    count += 1;
    const address = `t${count}`;
    const tokens = { sessionToken: await who.session(serviceId, 'Bind'), apiSessionToken: who.token };
    return await bind(at, { ...tokens, address, instanceId, ...said });
  };
  const list = async () => (await management().terminators.list({ filter: `service = "${serviceId}"` })).data;
  /** Makes one that no identity hosts. */
  const add = (secret?: string, service = serviceId) =>
    management().terminators.create({
      ...{ service, router: router.id, binding: 'transport', address: 'tcp:db:5432', identity: instanceId },
      ...(secret !== undefined && { identitySecret: Buffer.from(secret).toString('base64') }),
    });
  const refused = { status: 400, code: 'COULD_NOT_VALIDATE', cause: { field: 'identity', value: instanceId } };

  it('belongs to the identity that hosts, whatever another one says', async () => {
    expect(await host(bob)).toEqual(success);
    for (const said of [{}, { precedence: 1 }, { instanceSecret: Buffer.from('a secret') }])
      expect(await host(mallory, said)).toEqual(taken);
    expect(await host(mallory, {}, await RawRouter.enroll(controller))).toEqual(taken);
    expect(await list()).toMatchObject([{ identity: instanceId, precedence: 'default' }]);
    // Clients send a random secret for each of their listeners.
    for (const secret of ['one', 'two'])
      expect(await host(bob, { instanceSecret: Buffer.from(secret) })).toEqual(success);
    // Other names, no name, and other services have others.
    expect(await host(mallory, { instanceId: 'device-m' })).toEqual(success);
    expect(await host(mallory, { instanceId: '' })).toEqual(success);
    expect(await host(bob, { instanceId: '' })).toEqual(success);
    ({ id: serviceId } = await controller.createService({ encryptionRequired: false }));
    expect(await host(mallory)).toEqual(success);
  });

  it('belongs to a request that has made a terminator, and to those that know the same secret', async () => {
    await add('secret');
    await add('secret');
    for (const secret of [undefined, 'another']) await expect(add(secret)).rejects.toMatchObject(refused);
    expect(await host(bob)).toEqual(taken);
    expect(await host(bob, { instanceSecret: Buffer.from('secret') })).toEqual(taken);
    for (const { id } of await list()) await management().terminators.delete(id);
    await add();
    await add();
    await expect(add('secret')).rejects.toMatchObject(refused);
    for (const { id } of await list()) await management().terminators.delete(id);
    expect(await host(bob)).toEqual(success);
    for (const secret of [undefined, 'secret']) await expect(add(secret)).rejects.toMatchObject(refused);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['its terminator', async () => await management().terminators.delete((await list())[0]!.id)],
    ['its API session', () => bob.signOut()],
    ['its identity', () => management().identities.delete(bob.identityId)],
    ['its router', () => management().edgeRouters.delete(router.id)],
  ])('is free when the host has lost %s', async (_what, takeAway) => {
    const at = await RawRouter.enroll(controller);
    await host(bob);
    expect(await host(mallory, {}, at)).toEqual(taken);
    await takeAway();
    await eventually(async () => expect(await host(mallory, {}, at)).toEqual(success));
    expect(await list()).toHaveLength(1);
    at.close();
  });

  it('is free when the host may host no more, also while its router is away', async () => {
    const at = await RawRouter.enroll(controller);
    await host(bob);
    router.close();
    await eventually(async () =>
      expect(await management().edgeRouters.get(router.id)).toMatchObject({ isOnline: false }),
    );
    expect(await host(mallory, {}, at)).toEqual(taken);
    const { id } = (await management().sessions.list({ filter: `identity = "${bob.identityId}"` })).data[0]!;
    await management().sessions.delete(id);
    expect(await list()).toHaveLength(1);
    expect(await host(mallory, {}, at)).toEqual(success);
    expect((await list()).map(({ routerId }) => routerId)).toEqual([at.id]);
    at.close();
  });

  it('goes to one of those who ask at the same time', async () => {
    for (let round = 0; round < 5; round += 1) {
      const results = await Promise.all(
        [bob, mallory, bob, mallory].map((who) => host(who, { instanceId: `r${round}` })),
      );
      expect(results.filter(({ result }) => result === 'SUCCESS')).toHaveLength(2);
      const own = await Promise.allSettled(['a', 'b', 'c'].map((secret) => add(secret)));
      expect(own.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      const rest = (await list()).filter(({ identity }) => identity === instanceId);
      for (const { id } of rest) await management().terminators.delete(id);
    }
  });

  it('stands in the audit log with its host', async () => {
    await host(bob);
    const [{ id } = { id: '' }] = await list();
    await management().terminators.delete(id);
    await add('secret');
    const entries = (await management().auditLog.list({ filter: 'entityType = "terminator"', sort: 'createdAt desc' }))
      .data;
    const [byHand, deleted, created] = entries;
    const named = { identity: instanceId, hostId: bob.identityId };
    expect(created).toMatchObject({ event: 'entity.created', entityId: id, details: { after: named } });
    expect(deleted).toMatchObject({ event: 'entity.deleted', entityId: id, details: { before: named } });
    expect(byHand).toMatchObject({ details: { after: { identity: instanceId, hostId: '' } } });
    expect(JSON.stringify(byHand)).not.toMatch(/secret/i);
    expect((await management().terminators.list({ filter: `hostId = "${bob.identityId}"` })).data).toEqual([]);
  });
});

describe('an instance id at two controllers', () => {
  it('goes to one of two hosts that ask at the same time, and callers reach this one', async () => {
    await using scene = await startRouterReplicas();
    const { services, servicePolicies, terminators } = scene.replicas[0].edge.management;
    const { id: serviceId } = await services.create({ name: 'echo', encryptionRequired: false });
    const all = { serviceRoles: ['#all'], identityRoles: ['#all'], semantic: 'AnyOf' as const };
    for (const type of ['Dial', 'Bind'] as const) await servicePolicies.create({ ...all, name: type, type });
    const routers = await Promise.all(scene.replicas.map((at, index) => scene.startRouter([at], `of ${index}`)));
    const hosts = await Promise.all(scene.replicas.map((at, index) => addClient(at, `host ${index}`)));
    expect(routers).toHaveLength(2);
    const caller = await addClient(scene.replicas[0], 'caller');
    for (let round = 0; round < 5; round += 1) {
      const identity = `device ${round}`;
      const bindings = await Promise.allSettled(
        hosts.map(({ client }) => client.bind('echo', { identity, precedence: 'required', timeout: 5_000 })),
      );
      const bound = bindings.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      expect(bound).toHaveLength(1);
      expect(bindings.find(({ status }) => status === 'rejected')).toMatchObject({
        reason: { message: expect.stringContaining('the instance id is that of another host') },
      });
      for (const binding of bound) {
        const taken = binding[Symbol.asyncIterator]().next();
        (await caller.client.dial('echo', { identity })).destroy();
        expect(await taken).toMatchObject({ value: { callerId: 'caller' } });
        await binding.close();
      }
      await eventually(async () =>
        expect((await terminators.list({ filter: `service = "${serviceId}"` })).data).toEqual([]),
      );
    }
    for (const { client } of [...hosts, caller]) client.dispose();
  });
});
