import { encode, RemoveTerminatorsRequestSchema } from '@edge-controller/router-messages';
import { startTestController } from '@edge-controller/sdk/testing';
import { controlTypes } from '@edge-controller/shared-types/channel';
import { describe, expect, it, vi } from 'vitest';
import { bind } from '../routers/edge-routers/raw-requests.ts';
import { RawRouter } from '../routers/edge-routers/raw-router.ts';
import { signIn } from '../routers/router-double/routed-network.ts';
import { entriesOf, verified } from '../support/audit.ts';
import type { TestController } from '../support/controller.ts';
import { startController, storePairs } from '../support/controller.ts';
import { readMetrics } from '../support/metrics.ts';
import { totpPaths } from '../support/totp.ts';

const management = '/edge/management/v1';
const { mfa } = totpPaths('client');

/** Sends many sign-ins with a wrong password at once. */
function refusals(
  { wire }: TestController,
  count: number,
  { from = '192.0.2.1', name = (at: number): string => `nobody ${at}` } = {},
) {
  return Promise.all(
    Array.from({ length: count }, (_, at) =>
      wire('POST', '/edge/client/v1/authenticate?method=password', {
        ...{ body: { username: name(at), password: 'wrong' }, headers: { 'x-forwarded-for': from } },
      }),
    ),
  );
}

/** A controller that starts again with the same data. At its stop, it writes what it has counted. */
async function restarted(server: TestController): Promise<TestController> {
  await server.controller.close();
  return await startController(server.options);
}

describe.each(storePairs)('the audit log on $stores', ({ open }) => {
  it('has one entry at once and one with the number for equal refusals of an address', async () => {
    const first = await startController({ ...(await open()), trustedProxies: ['127.0.0.1'], passwordAttempts: 0 });
    const outsiders = [...(await refusals(first, 20)), ...(await refusals(first, 1, { from: '192.0.2.2' }))];
    expect(new Set(outsiders.map(({ status }) => status))).toEqual(new Set([401]));
    const failed = 'event = "authentication.failed"';
    const admin = await first.signIn();
    const found = await entriesOf(first, admin, failed);
    expect(found.map(({ ipAddress, details }) => [ipAddress, details])).toEqual([
      ['192.0.2.1', { method: 'password', reason: 'unknown user' }],
      ['192.0.2.2', { method: 'password', reason: 'unknown user' }],
    ]);
    await using server = await restarted(first);
    const [, , ...counted] = await entriesOf(server, await server.signIn(), failed);
    expect(counted).toMatchObject([
      {
        ...{ outcome: 'failure', identityId: null, entityId: null, ipAddress: '192.0.2.1' },
        details: { method: 'password', reason: 'unknown user', count: 19, since: expect.any(String) },
      },
    ]);
    expect(Date.parse(counted[0]?.details.since)).toBeGreaterThanOrEqual(Date.parse(found[0]?.createdAt ?? ''));
    expect(await verified(server.options)).toMatchObject({ findings: [] });
  });

  it('has the first ten of different refusals of an address, and the number of the others', async () => {
    const first = await startController({ ...(await open()), trustedProxies: ['127.0.0.1'] });
    const admin = await first.signIn();
    const users = await Promise.all(Array.from({ length: 15 }, () => first.addUser(admin)));
    await refusals(first, 30, { name: (at) => users[at % 15]?.username ?? '' });
    await using server = await restarted(first);
    const found = await entriesOf(server, await server.signIn(), 'event = "authentication.failed"');
    const ids = users.map(({ id }) => id);
    expect(found.slice(0, 10).every(({ entityId }) => ids.includes(entityId ?? ''))).toBe(true);
    const numbers = found.slice(10).map(({ entityId, details }) => [entityId, details.count ?? 1]);
    expect(numbers.find(([id]) => id === null)).toEqual([null, expect.any(Number)]);
    expect(numbers.reduce((sum, [, count]) => sum + count, 10)).toBe(30);
    expect(found.length).toBeLessThanOrEqual(21);
  });

  it('has few entries of a user who begins TOTP and drops it, and each of what administrators do', async () => {
    const first = await startController(await open());
    const { wire } = first;
    const admin = await first.signIn();
    const user = await first.addUser(admin);
    const token = await first.signIn(user);
    for (let round = 0; round < 8; round += 1) {
      expect((await wire('POST', mfa, { token })).status).toBe(201);
      expect((await wire('DELETE', mfa, { token })).status).toBe(200);
      const body = { tags: { round: round % 2 } };
      expect((await wire('PATCH', `${management}/identities/${user.id}`, { token: admin, body })).status).toBe(200);
    }
    const signIns = await Promise.all(Array.from({ length: 8 }, () => first.signIn(user)));
    await using server = await restarted(first);
    const again = await server.signIn();
    const removed = await entriesOf(server, again, 'event = "mfa.removed"');
    expect(removed.map(({ identityId, details }) => [identityId, details.by, details.count])).toEqual([
      [user.id, 'owner', undefined],
      [user.id, 'owner', 7],
    ]);
    expect(await entriesOf(server, again, `event = "entity.updated" and entityId = "${user.id}"`)).toHaveLength(8);
    const own = `event = "authentication.succeeded" and identityId = "${user.id}"`;
    expect(await entriesOf(server, again, own)).toHaveLength(signIns.length + 1);
  });

  it('has few entries of a user who enrolls TOTP, answers with all codes and removes it, again and again', async () => {
    await using controller = await startTestController(await open());
    const ada = await controller.createIdentity();
    const edge = await ada.signIn();
    const { 'svc-session': token = '' } = await edge.authorization(controller.url);
    const headers = { 'content-type': 'application/json', 'svc-session': token };
    const rounds = 3;
    let answers = 0;
    for (let round = 0; round < rounds; round += 1) {
      const totp = await edge.mfa.enroll();
      await totp.verify(controller.totp(totp.secret));
      const [last = '', ...codes] = totp.recoveryCodes.slice(0, 5);
      for (const code of codes) {
        const body = JSON.stringify({ code });
        const sent = { method: 'POST', headers, body };
        const { status } = await edge.fetch(`${controller.url}/edge/client/v1/authenticate/mfa`, sent);
        answers += Number(status === 200);
      }
      await edge.mfa.disable(last);
    }
    await controller.restart();
    const counts = async (event: string) => {
      const filter = `event = "${event}"`;
      const { data } = await controller.admin.management.auditLog.list({ filter, sort: 'sequence' });
      return data.map(({ details }) => ('count' in details ? details.count : 1));
    };
    expect(await counts('mfa.enrolled')).toEqual([1, rounds - 1]);
    expect(await counts('authQuery.answered')).toEqual([1, answers - 1]);
    expect(answers).toBe(4 * rounds);
  });

  it('has few entries of a host that binds and unbinds again and again', async () => {
    await using controller = await startTestController(await open());
    await (await controller.startRouter()).stop();
    const { id } = await controller.createService({ encryptionRequired: false });
    const bob = await signIn(controller);
    const router = await RawRouter.enroll(controller);
    const tokens = { sessionToken: await bob.session(id, 'Bind'), apiSessionToken: bob.token };
    for (let round = 0; round < 13; round += 1) {
      const address = `t${round}`;
      expect(await bind(router, { ...tokens, address })).toMatchObject({ result: 'SUCCESS' });
      const body = encode(RemoveTerminatorsRequestSchema, { terminatorIds: [address] });
      await router.ask(controlTypes.removeTerminators, { body });
    }
    router.close();
    await controller.restart();
    const filter = 'entityType = "terminator"';
    const { data } = await controller.admin.management.auditLog.list({ filter, sort: 'sequence', limit: 500 });
    const ofEvent = (event: string) => data.filter((entry) => entry.event === event);
    for (const event of ['entity.created', 'entity.deleted']) {
      const found = ofEvent(event);
      expect(found).toHaveLength(11);
      const details = { count: 3, since: expect.any(String), source: bob.identityId };
      expect(found.at(-1)).toMatchObject({ entityId: null, details });
    }
  });
});

it('a controller writes what it has counted each minute, and begins anew', async () => {
  vi.useFakeTimers({ toFake: ['setInterval'] });
  try {
    await using server = await startController();
    const admin = await server.signIn();
    const counts = async () =>
      (await entriesOf(server, admin, 'event = "authentication.failed"')).map(({ details }) => details.count);
    await refusals(server, 5);
    expect(await counts()).toEqual([undefined]);
    await vi.advanceTimersByTimeAsync(60_000);
    await vi.waitFor(async () => expect(await counts()).toEqual([undefined, 4]));
    await refusals(server, 1);
    expect(await counts()).toEqual([undefined, 4, undefined]);
  } finally {
    vi.useRealTimers();
  }
});

it.each(storePairs)(
  'the log keeps to its size: the oldest entries go, and the rest is intact, on $stores',
  async ({ open }) => {
    vi.useFakeTimers({ toFake: ['setInterval'] });
    try {
      await using server = await startController({ ...(await open()), auditMaxSize: 1, operationsBind: '127.0.0.1:0' });
      const token = await server.signIn();
      const user = await server.addUser(token);
      for (let round = 0; round < 50; round += 1) {
        const body = { appData: { text: `${round}`.padEnd(15_000, '-') } };
        expect((await server.wire('PATCH', `${management}/identities/${user.id}`, { token, body })).status).toBe(200);
      }
      const max = (await readMetrics(server.operationsUrl)).get('edge_audit_log_max_bytes') ?? 0;
      expect((await readMetrics(server.operationsUrl)).get('edge_audit_log_bytes')).toBeGreaterThan(max);
      await vi.advanceTimersByTimeAsync(600_000);
      const shortened = () => entriesOf(server, token, 'event = "auditLog.shortened"');
      await vi.waitFor(async () => expect(await shortened()).toHaveLength(1));
      expect((await shortened())[0]?.details).toEqual({ through: expect.any(Number), by: 'size' });
      const { findings, first, last } = await verified(server.options);
      expect(findings).toEqual([]);
      expect([first, (last ?? 0) > 50]).toEqual([(await shortened())[0]?.details.through + 1, true]);
    } finally {
      vi.useRealTimers();
    }
  },
);
