import { startTestController } from '@edge-controller/sdk/testing';
import { describe, expect, it } from 'vitest';
import { eventually } from '../routers/edge-routers/eventually.ts';
import { signIn } from '../routers/router-double/routed-network.ts';
import { addPolicy, addUserUnder, requireTotp } from '../support/auth-policies.ts';
import type { TestController } from '../support/controller.ts';
import { sharedStores, startController, storePairs } from '../support/controller.ts';
import { enrollTotp } from '../support/totp.ts';

const own = '/edge/client/v1/current-identity/api-sessions';
const current = '/edge/client/v1/current-api-session';

const statusOf = async ({ wire }: TestController, token: string) => (await wire('GET', current, { token })).status;
const idOf = async ({ wire }: TestController, token: string): Promise<string> =>
  (await wire('GET', current, { token })).body.data.id;

async function entriesOf(server: TestController, token: string, filter: string) {
  const path = `/edge/management/v1/audit-log?filter=${encodeURIComponent(filter)}`;
  return (await server.wire('GET', path, { token })).body.data;
}

describe.each(storePairs)('the API sessions of the caller on $stores', ({ open }) => {
  it('are listed without tokens and without those of others, whatever the filter is', async () => {
    await using server = await startController(await open());
    const admin = await server.signIn();
    const user = await server.addUser(admin);
    const outsider = await server.signIn(await server.addUser(admin));
    const tokens = [await server.signIn(user), await server.signIn(user), await server.signIn(user)];
    const ids = await Promise.all(tokens.map((token) => idOf(server, token)));
    const list = async (query = '', token = tokens[0]!) => {
      const { status, body, text } = await server.wire('GET', `${own}${query}`, { token });
      expect(status, text).toBe(200);
      for (const secret of [...tokens, outsider, admin]) expect(text).not.toContain(secret);
      return body;
    };
    const idsIn = (body: { data: { id: string }[] }) => body.data.map(({ id }) => id);
    const all = await list();
    expect(idsIn(all).toSorted()).toEqual(ids.toSorted());
    expect(all.meta.pagination).toEqual({ limit: 10, offset: 0, totalCount: 3 });
    expect(all.data[0]).toMatchObject({ token: '', identityId: user.id, ipAddress: '127.0.0.1', authQueries: [] });
    expect(all.data[0]._links).toEqual({ self: { href: `./current-identity/api-sessions/${all.data[0].id}` } });
    expect(idsIn(await list('?sort=createdAt%20desc&limit=1&offset=1'))).toEqual([ids[1]]);

    const foreign = await idOf(server, outsider);
    for (const filter of [
      'true',
      `id = "${foreign}"`,
      `identity != "${user.id}"`,
      'true or true',
      'true) or (true',
      `identity = "${user.id}" or true`,
      'not false sort by id desc limit none',
      `id in ["${foreign}", "${ids[0]}"]`,
    ]) {
      for (const extra of ['', '&limit=-1', '&sort=id', '&sort=createdAt', '&sort=ipAddress']) {
        const path = `${own}?filter=${encodeURIComponent(filter)}${extra}`;
        const { status, body } = await server.wire('GET', path, { token: tokens[0]! });
        expect([200, 400], filter).toContain(status);
        const others = status === 200 ? idsIn(body).filter((id) => !ids.includes(id)) : [];
        expect(others, filter + extra).toEqual([]);
        if (status === 200) expect(body.meta.pagination.totalCount, filter + extra).toBeLessThanOrEqual(3);
      }
    }
    // Administrators see tokens of others elsewhere, and none here.
    const ofAdmin = await list('', admin);
    expect(
      ofAdmin.data.every(({ token, id }: { token: string; id: string }) => token === '' && !ids.includes(id)),
    ).toBe(true);
  });

  it('are ended one by one, at once, and nobody ends those of others', async () => {
    await using server = await startController(await open());
    const admin = await server.signIn();
    const user = await server.addUser(admin);
    const foreign = await idOf(server, admin);
    const [token, other] = [await server.signIn(user), await server.signIn(user)];
    const ended: object[] = [];
    server.controller.events.on('apiSession.ended', (event) => ended.push(event));
    const end = async (id: string, by = token) => (await server.wire('DELETE', `${own}/${id}`, { token: by })).status;
    for (const id of [foreign, 'no-such-id', 'c0000000000000000000000000']) {
      expect([await end(id), (await server.wire('GET', `${own}/${id}`, { token })).status], id).toEqual([404, 404]);
    }
    expect([await statusOf(server, admin), ended]).toEqual([200, []]);

    const id = await idOf(server, other);
    const read = await server.wire('GET', `${own}/${id}`, { token });
    expect([read.status, read.body.data.id, read.body.data.token]).toEqual([200, id, '']);
    const [first, second] = await Promise.all([end(id), end(id)]);
    expect([first, second].toSorted()).toEqual([200, 404]);
    expect([await statusOf(server, other), await statusOf(server, token), await end(id)]).toEqual([401, 200, 404]);
    expect(ended).toEqual([{ apiSessionId: id, identityId: user.id, by: 'owner' }]);
    expect(await entriesOf(server, admin, `event = "apiSession.ended" and entityId = "${id}"`)).toMatchObject([
      { identityId: user.id, details: { identityId: user.id, by: 'owner' } },
    ]);
    // One's own session, too: it is a sign-out.
    expect([await end(await idOf(server, token)), await statusOf(server, token)]).toEqual([200, 401]);
  });

  it('are all ended but the one that asks; sign-ins afterwards live, and so do those of others', async () => {
    await using server = await startController(await open());
    const admin = await server.signIn();
    const user = await server.addUser(admin);
    const tokens = await Promise.all(Array.from({ length: 12 }, () => server.signIn(user)));
    const [kept, ...others] = tokens;
    const endOthers = async (token: string) => (await server.wire('DELETE', own, { token })).status;
    expect(await endOthers(kept!)).toBe(200);
    const statuses = await Promise.all(others.map((token) => statusOf(server, token)));
    expect(new Set(statuses)).toEqual(new Set([401]));
    expect([await statusOf(server, kept!), await statusOf(server, admin)]).toEqual([200, 200]);
    const { body } = await server.wire('GET', own, { token: kept! });
    expect(body.data).toHaveLength(1);
    const id = await idOf(server, kept!);
    expect(await entriesOf(server, admin, 'event = "apiSessions.revoked"')).toMatchObject([
      { identityId: user.id, entityId: user.id, details: { exceptId: id } },
    ]);
    const later = await server.signIn(user);
    expect([await endOthers(later), await statusOf(server, kept!), await statusOf(server, later)]).toEqual([
      200, 401, 200,
    ]);
  });

  it('take their connections at edge routers along', async () => {
    await using controller = await startTestController(await open());
    const router = await controller.startRouter();
    const ada = await signIn(controller);
    const [first, second] = [ada, await signIn(controller, { id: ada.identityId })];
    const application = await first.connect(router);
    const stays = await second.connect(router);
    const ask = (path: string, method: string) =>
      controller
        .client({ storage: { get: () => second.token, set: () => undefined, remove: () => undefined } })
        .fetch(`${controller.url}/edge/client/v1${path}`, { method });
    await eventually(() => expect(router.state.applications).toBe(2));
    expect((await ask('/current-identity/api-sessions', 'DELETE')).status).toBe(200);
    await application.peer.closed();
    await eventually(() => expect(router.state.applications).toBe(1));
    expect(stays.peer.isClosed).toBe(false);
  });

  it('are closed to a partial session', async () => {
    await using server = await startController(await open());
    const admin = await server.signIn();
    const authPolicyId = await addPolicy(server, admin, { name: 'partial' });
    const user = await addUserUnder(server, admin, { authPolicyId });
    const full = await server.signIn(user);
    await requireTotp(server, admin, { id: authPolicyId, isRequired: true });
    await enrollTotp(server.wire, full);
    const partial = await server.signIn(user);
    const id = await idOf(server, full);
    for (const [method, path] of [
      ['GET', own],
      ['GET', `${own}/${id}`],
      ['DELETE', `${own}/${id}`],
      ['DELETE', own],
    ] as const) {
      expect((await server.wire(method, path, { token: partial })).status, `${method} ${path}`).toBe(401);
    }
    expect(await statusOf(server, full)).toBe(200);
  });
});

it('an API session that its owner ends is refused by the next request on another controller', async () => {
  const options = { ...(await sharedStores.open()), sealKey: Buffer.alloc(32, 7) };
  await using first = await startController(options);
  await using second = await startController(options);
  const user = await first.addUser(await first.signIn());
  const [token, other, third] = await Promise.all(Array.from({ length: 3 }, () => first.signIn(user)));
  expect([await statusOf(second, other!), await statusOf(second, third!)]).toEqual([200, 200]);
  await first.wire('DELETE', `${own}/${await idOf(first, other!)}`, { token: token! });
  expect(await statusOf(second, other!)).toBe(401);
  await first.wire('DELETE', own, { token: token! });
  expect([await statusOf(second, third!), await statusOf(second, token!)]).toEqual([401, 200]);
});
