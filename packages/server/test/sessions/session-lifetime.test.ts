import { setTimeout as sleep } from 'node:timers/promises';
import { isEdgeApiError } from '@edge-controller/sdk';
import { startTestController } from '@edge-controller/sdk/testing';
import { describe, expect, it } from 'vitest';
import { eventually } from '../routers/edge-routers/eventually.ts';
import { signIn } from '../routers/router-double/routed-network.ts';
import { addPolicy, addUserUnder, authPolicies, policyRules } from '../support/auth-policies.ts';
import type { TestController } from '../support/controller.ts';
import { everyStorePair, startController } from '../support/controller.ts';

const current = '/edge/client/v1/current-api-session';
const minute = 60_000;
const password = 'Correct horse battery!';

const read = ({ wire }: TestController, token: string) => wire('GET', current, { token });
const lived = (maxSessionMinutes: number | null) => ({ primary: { ...policyRules.primary, maxSessionMinutes } });

const isOut = (error: unknown) => isEdgeApiError(error, 'UNAUTHORIZED');

describe.each(everyStorePair)('the longest life of an API session on $stores', ({ open }) => {
  it('ends it however much it is used, and `expiresAt` says so', async () => {
    await using server = await startController({ ...(await open()), maxSessionLifetime: 3_000 });
    const admin = await server.signIn();
    const user = await server.addUser(admin);
    const opened = await server.wire('POST', '/edge/client/v1/authenticate?method=password', { body: user });
    const { token, createdAt, expiresAt, expirationSeconds } = opened.body.data;
    const end = Date.parse(createdAt) + 3_000;
    expect(Date.parse(expiresAt)).toBe(end);
    expect(expirationSeconds).toBeLessThanOrEqual(3);
    expect(Number(opened.headers['svc-session-expires-in'])).toBeLessThanOrEqual(3);
    const statuses = new Set<number>();
    for (;;) {
      const { status, body, headers } = await read(server, token);
      const now = Date.now();
      statuses.add(status);
      if (status !== 200) break;
      expect(Date.parse(body.data.expiresAt)).toBe(end);
      expect(body.data.expirationSeconds).toBeLessThanOrEqual(3);
      expect(Number(headers['svc-session-expires-in'])).toBeLessThanOrEqual(3);
      expect(now).toBeLessThan(end + 500);
      await sleep(20);
    }
    expect([...statuses]).toEqual([200, 401]);
    // Nothing brings it back.
    const late = await Promise.all(Array.from({ length: 20 }, () => read(server, token)));
    expect(late.map(({ status }) => status)).not.toContain(200);
  });

  it('ends one that nobody uses, at once in lists, and says so in the audit log', async () => {
    await using server = await startController(await open());
    const admin = await server.signIn();
    const user = await server.addUser(admin);
    await server.controller.reload({ maxSessionLifetime: 1_500 });
    const opened = await server.wire('POST', '/edge/client/v1/authenticate?method=password', { body: user });
    await server.controller.reload({ maxSessionLifetime: null });
    const { id, createdAt } = opened.body.data;
    await sleep(Date.parse(createdAt) + 1_550 - Date.now());
    const list = await server.wire('GET', '/edge/management/v1/api-sessions', { token: admin });
    expect(list.status, list.text).toBe(200);
    expect(list.body.data.map((session: { id: string }) => session.id)).not.toContain(id);
    const filter = encodeURIComponent(`event = "apiSession.ended" and entityId = "${id}"`);
    await eventually(async () => {
      const { body } = await server.wire('GET', `/edge/management/v1/audit-log?filter=${filter}`, { token: admin });
      expect(body.data).toMatchObject([{ details: { by: 'timeout' } }]);
    });
  });

  it('is that of the setting or of the auth policy, whichever is shorter', async () => {
    await using controller = await startTestController({ ...(await open()), maxSessionLifetime: 20 * minute });
    const { authPolicies: policies } = controller.admin.management;
    const lifeOf = async (maxSessionMinutes: number | null) => {
      const { id: authPolicyId } = await policies.create({
        name: `for ${maxSessionMinutes}`,
        ...policyRules,
        ...lived(maxSessionMinutes),
      });
      const user = await controller.createIdentity({ authPolicyId, password });
      const edge = await user.signIn();
      const { createdAt, expiresAt } = await edge.client.currentApiSession.get();
      return (Date.parse(expiresAt) - Date.parse(createdAt)) / minute;
    };
    expect([await lifeOf(10), await lifeOf(25), await lifeOf(null)]).toEqual([10, 20, 20]);
  });

  it('of a policy ends sessions after hours of use, and no others', async () => {
    await using controller = await startTestController(await open());
    const { authPolicies: policies } = controller.admin.management;
    const { id: authPolicyId } = await policies.create({ name: 'hours', ...policyRules, ...lived(120) });
    const [limited, free] = await Promise.all(
      [{ authPolicyId }, {}].map(async (members) =>
        (await controller.createIdentity({ ...members, password })).signIn(),
      ),
    );
    for (let passed = 0; passed < 120; passed += 20) {
      await limited!.client.currentApiSession.get();
      await free!.client.currentApiSession.get();
      await controller.clock.advance(20 * minute);
    }
    await expect(limited!.client.currentApiSession.get()).rejects.toSatisfy(isOut);
    await free!.client.currentApiSession.get();
  });

  it('holds for sessions that exist when it is lowered; a raised one does not', async () => {
    await using server = await startController(await open());
    const admin = await server.signIn();
    const authPolicyId = await addPolicy(server, admin, { name: 'first', ...lived(null) });
    const user = await addUserUnder(server, admin, { authPolicyId });
    const [before, other] = [await server.signIn(user), await server.signIn(user)];
    await server.controller.reload({ maxSessionLifetime: 1_500 });
    const short = await server.signIn(user);
    await server.controller.reload({ maxSessionLifetime: null });
    await sleep(1_500);
    expect([(await read(server, short)).status, (await read(server, before)).status]).toEqual([401, 200]);

    const expired: string[] = [];
    server.controller.events.on('apiSession.ended', ({ apiSessionId }) => expired.push(apiSessionId));
    const { id } = (await read(server, before)).body.data;
    await server.controller.reload({ maxSessionLifetime: 1_000 });
    expect([(await read(server, before)).status, (await read(server, before)).status]).toEqual([401, 401]);
    expect(expired.filter((ended) => ended === id)).toEqual([id]);
    await server.controller.reload({ maxSessionLifetime: null });
    expect([(await read(server, before)).status, (await read(server, other)).status]).toEqual([401, 200]);
  });

  it('shows the member of the policy only while there is one', async () => {
    await using server = await startController(await open());
    const admin = await server.signIn();
    const id = await addPolicy(server, admin, { name: 'shown', ...lived(90) });
    const shown = async () =>
      (await server.wire('GET', `${authPolicies}/${id}`, { token: admin })).body.data.primary.maxSessionMinutes;
    const patch = async (maxSessionMinutes: unknown) =>
      (
        await server.wire('PATCH', `${authPolicies}/${id}`, {
          token: admin,
          body: {
            primary: { updb: { maxAttempts: 3 }, ...(maxSessionMinutes !== undefined && { maxSessionMinutes }) },
          },
        })
      ).status;
    expect(await shown()).toBe(90);
    expect([await patch(undefined), await shown()]).toEqual([200, 90]);
    expect([await patch(30), await shown()]).toEqual([200, 30]);
    expect([await patch(0), await shown()]).toEqual([200, undefined]);
    expect([await patch(30), await shown()]).toEqual([200, 30]);
    for (const wrong of [-1, 1.5, 525_601, 'soon']) expect(await patch(wrong), String(wrong)).toBe(400);
    const body = { name: 'shown', ...policyRules };
    expect((await server.wire('PUT', `${authPolicies}/${id}`, { token: admin, body })).status).toBe(200);
    expect(await shown()).toBeUndefined();
  });

  it('ends the connections at edge routers with the session, although they use it', async () => {
    await using controller = await startTestController({ ...(await open()), maxSessionLifetime: 3_000 });
    const router = await controller.startRouter({ heartbeatInterval: 250 });
    const ada = await signIn(controller);
    const application = await ada.connect(router);
    const since = performance.now();
    await eventually(() => expect(router.state.applications).toBe(1));
    await application.peer.closed();
    expect(performance.now() - since).toBeGreaterThan(1_500);
    await eventually(() => expect(router.state).toMatchObject({ apiSessions: 0, applications: 0 }));
    await (await ada.connect(router)).peer.closed();
  });

  it('ends them too when it is lowered, by the next heartbeat of the router', async () => {
    await using controller = await startTestController(await open());
    const { authPolicies: policies, identities } = controller.admin.management;
    const { id: authPolicyId } = await policies.create({ name: 'routed', ...policyRules, ...lived(60) });
    const router = await controller.startRouter({ heartbeatInterval: 250 });
    const ada = await signIn(controller);
    const application = await ada.connect(router);
    await controller.clock.advance(20 * minute);
    await identities.patch(ada.identityId, { authPolicyId });
    await policies.patch(authPolicyId, lived(10));
    await application.peer.closed();
  });
});
