import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { NodeEdgeClient, PostureProvider } from '../src/node/index.ts';
import { isInvalidPosture } from '../src/node/index.ts';
import type { TestController } from '../src/testing/index.ts';
import { startTestController } from '../src/testing/index.ts';

const second = 1_000;

let controller: TestController;
beforeAll(async () => {
  controller = await startTestController();
  const { edgeRouters, edgeRouterPolicies, serviceEdgeRouterPolicies } = controller.admin.management;
  const all = { semantic: 'AnyOf' as const, edgeRouterRoles: ['#all'] };
  await edgeRouters.create({ name: 'router' });
  await edgeRouterPolicies.create({ ...all, name: 'all', identityRoles: ['#all'] });
  await serviceEdgeRouterPolicies.create({ ...all, name: 'all', serviceRoles: ['#all'] });
});
afterAll(() => controller[Symbol.asyncDispose]());

type Check = Omit<Parameters<NodeEdgeClient['management']['postureChecks']['create']>[0], 'name'>;

let names = 100;

/** A person who may dial a service of its own when posture checks pass. */
async function guarded(...checks: Check[]) {
  const { postureChecks, servicePolicies, services } = controller.admin.management;
  names += 1;
  const name = `n${names}`;
  const ada = await controller.createIdentity();
  const { id: serviceId } = await services.create({ name, encryptionRequired: false });
  const created = await Promise.all(
    checks.map((check, at) => postureChecks.create({ ...check, name: `${name}-${at}` } as Check & { name: string })),
  );
  const { id: policyId } = await servicePolicies.create({
    ...{ name, type: 'Dial', semantic: 'AnyOf', identityRoles: [`@${ada.id}`], serviceRoles: [`@${serviceId}`] },
    postureCheckRoles: created.map(({ id }) => `@${id}`),
  });
  return { ada, serviceId, policyId, checkIds: created.map(({ id }) => id), name };
}

const program = { osType: 'Linux', path: '/usr/bin/agent' } as const;
const kinds: readonly (readonly [Check, PostureProvider])[] = [
  [
    { typeId: 'OS', operatingSystems: [{ type: 'Linux', versions: ['>=6.0.0'] }] },
    { os: () => ({ type: 'Linux', version: '6.1.0' }) },
  ],
  [{ typeId: 'DOMAIN', domains: ['corp.example.com'] }, { domain: async () => 'CORP.example.com' }],
  [{ typeId: 'MAC', macAddresses: ['001b44113ab7'] }, { mac: () => ['02:00:00:00:00:00', '00:1B:44:11:3A:B7'] }],
  [
    { typeId: 'PROCESS', process: { ...program, hashes: ['ab'] } },
    { process: ({ path }) => ({ isRunning: path === program.path, hash: 'AB' }) },
  ],
  [
    { typeId: 'PROCESS_MULTI', semantic: 'AllOf', processes: [program, { ...program, path: '/b' }] },
    { process: ({ osType }) => ({ isRunning: osType === 'Linux' }) },
  ],
];

describe('posture queries of a controller', () => {
  test.each(kinds.map(([check, posture]) => [check.typeId, check, posture] as const))(
    '%s: the list shows that the answer passes, and a session is opened',
    async (_kind, check, posture) => {
      const { ada, serviceId } = await guarded(check);
      await using edge = await ada.signIn({ posture });
      const isPassing = (page: Awaited<ReturnType<typeof edge.services.list>>) =>
        page.data.map(({ postureQueries }) => postureQueries.map((policy) => policy.isPassing));
      expect(isPassing(await edge.client.services.list())).toEqual([[false]]);
      expect(isPassing(await edge.services.list())).toEqual([[true]]);

      // A session whose services nobody has listed.
      await using other = await ada.signIn({ posture });
      const session = await other.sessions.create({ serviceId, type: 'Dial' });
      expect(session).toMatchObject({ serviceId, type: 'Dial', token: expect.stringMatching(/^ey/) });
      expect(session.edgeRouters).toMatchObject([{ name: 'router', supportedProtocols: {} }]);
      expect((await other.sessions.list()).data.map(({ id }) => id)).toEqual([session.id]);
      expect((await other.sessions.get(session.id)).service.name).toMatch(/^n\d+$/);
      await other.sessions.delete(session.id);
      expect((await other.sessions.list()).data).toEqual([]);
    },
  );

  test('without the right answer a session is refused, and the error says which checks fail', async () => {
    const [os, domain] = [kinds[0]![0], kinds[1]![0]];
    const { ada, serviceId, policyId, checkIds } = await guarded(os, domain);
    await using edge = await ada.signIn({ posture: { ...kinds[0]![1], domain: () => '' } });
    const error = await edge.sessions.create({ serviceId }).catch((thrown: unknown) => thrown);
    expect(isInvalidPosture(error) && error.cause?.data).toEqual({
      [policyId]: [{ id: checkIds[1], typeId: 'DOMAIN', isPassing: false }],
    });
    expect(isInvalidPosture(new Error('INVALID_POSTURE'))).toBe(false);
  });

  test('of hundreds of processes are answered with several requests', async () => {
    const processes = Array.from({ length: 75 }, (_, at) => ({ ...program, path: `/${at}` }));
    const multi = { typeId: 'PROCESS_MULTI', semantic: 'AllOf', processes } as const;
    const { ada, serviceId } = await guarded(multi, multi);
    await using edge = await ada.signIn({ posture: { process: () => ({ isRunning: true, hash: 'a'.repeat(128) }) } });
    expect(await edge.sessions.create({ serviceId })).toMatchObject({ serviceId });
  });
});

describe('changes of a controller', () => {
  test('of policies and of posture reach an iteration, with the clock of the test', async () => {
    const { ada, name } = await guarded({ typeId: 'DOMAIN', domains: ['a'] });
    let domain = 'b';
    await using edge = await ada.signIn({ posture: { domain: () => domain } });
    const iterator = edge.services.changes()[Symbol.asyncIterator]();
    const next = async () => {
      const services: Awaited<ReturnType<typeof edge.services.list>>['data'] = (await iterator.next()).value;
      return services.map((service) => [service.name, service.postureQueries[0]?.isPassing]);
    };
    expect(await next()).toEqual([[name, false]]);

    domain = 'a';
    const passed = next();
    await controller.clock.advance(60 * second);
    expect(await passed).toEqual([[name, true]]);

    const second_ = await guarded();
    const added = next();
    const { servicePolicies } = controller.admin.management;
    const policy = (await servicePolicies.list({ filter: `name = "${second_.name}"` })).data[0]!;
    await servicePolicies.patch(policy.id, { identityRoles: [`@${ada.id}`] });
    await controller.clock.advance(60 * second);
    expect((await added).toSorted()).toEqual(
      [
        [name, true],
        [second_.name, true],
      ].toSorted(),
    );
    await iterator.return?.();
  });

  test('without keepAlive do not extend the session; with it they do', async () => {
    const { ada } = await guarded();
    const forgotten = await ada.signIn();
    const kept = await ada.signIn({ keepAlive: true });
    const errors: unknown[] = [];
    for (const edge of [forgotten, kept]) {
      void (async () => {
        for await (const _services of edge.services.changes());
      })().catch((error: unknown) => errors.push(error));
      await expect.poll(() => edge.session?.expirationSeconds).toBe(1_800);
    }
    for (let at = 0; at < 32; at += 1) await controller.clock.advance(60 * second);
    expect([forgotten.state, kept.state]).toEqual(['expired', 'active']);
    await expect.poll(() => errors).toMatchObject([{ code: 'NO_SESSION' }]);
    for (const edge of [forgotten, kept]) edge.dispose();
  });
});

test('an MFA check whose timeout has passed is answered again in a full session', async () => {
  const { ada, serviceId } = await guarded({ typeId: 'MFA', timeoutSeconds: 120 });
  await using edge = await ada.signIn();
  const { provisioningUrl, verify } = await edge.mfa.enroll();
  const failing = async () => {
    const error = await edge.sessions.create({ serviceId }).catch((thrown: unknown) => thrown);
    const checks = isInvalidPosture(error) ? Object.values(error.cause?.data ?? {}).flat() : [];
    return checks.map(({ typeId }) => typeId);
  };
  expect(await failing()).toEqual(['MFA']);
  await verify(controller.totp(provisioningUrl));
  expect(await failing()).toEqual([]);
  await controller.clock.advance(130 * second);
  expect([await failing(), edge.session?.state]).toEqual([['MFA'], 'full']);

  expect(await edge.answer.totp(controller.totp(provisioningUrl))).toMatchObject({ state: 'full' });
  expect(await edge.sessions.create({ serviceId })).toMatchObject({ serviceId });
  await expect(edge.answer.totp('000000')).rejects.toMatchObject({ code: 'MFA_INVALID_TOKEN' });
  expect(edge.state).toBe('active');
});
