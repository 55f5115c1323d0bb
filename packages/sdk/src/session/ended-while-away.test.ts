import { expect, test } from 'vitest';
import { fakeController } from '../../test/support/fake-controller.ts';
import { sharedArea } from '../../test/support/shared-area.ts';
import type { EdgeClient, EdgeClientOptions } from '../index.ts';
import { createEdgeClient, memoryStorage } from '../index.ts';

const alice = { username: 'alice', password: 'a password' };

/** Clients whose storage has the token of a session that ended while no page was open. */
function openTabs(
  count: number,
  signIn: (edge: EdgeClient) => Promise<unknown> = (edge) => edge.signIn.password(alice),
) {
  const controller = fakeController();
  const area = sharedArea();
  area.values.set(`edge-session ${controller.url}`, 'an ended token');
  const settings = { asked: 0 };
  const tabs = Array.from({ length: count }, () => {
    const edge: EdgeClient = createEdgeClient(controller.url, {
      ...{ fetch: controller.fetch, storage: area.tab() },
      reauthenticate: () => {
        settings.asked += 1;
        return signIn(edge);
      },
    });
    return edge;
  });
  return { controller, area, settings, tabs };
}

const failure = (call: Promise<unknown>) =>
  call.then(
    () => 'served',
    (error: Error) => error.message,
  );

test('a session that ended while nobody was there is replaced at the first call, once for all calls of all tabs', async () => {
  const { controller, settings, tabs } = openTabs(8);
  const calls = tabs.flatMap(({ management }) => [1, 2, 3].map(() => management.identities.list()));
  expect((await Promise.all(calls)).length).toBe(24);
  expect([settings.asked, controller.signIns(), controller.count('/identities')]).toEqual([1, 1, 24]);
  expect(tabs.map(({ state }) => state)).toEqual(tabs.map(() => 'active'));
  for (const edge of tabs) edge.dispose();
});

test('`restore` does not sign in; the next call and `edge.fetch` do', async () => {
  const { controller, settings, tabs } = openTabs(2);
  const [first, second] = tabs as [EdgeClient, EdgeClient];
  expect([await first.restore(), first.state, settings.asked]).toEqual([null, 'signed-out', 0]);
  expect((await first.fetch(`${controller.url}/edge/management/v1/identities`)).status).toBe(200);
  expect((await second.management.identities.list()).data).toEqual([]);
  expect(settings.asked).toBe(1);
  for (const edge of tabs) edge.dispose();
});

test('when nobody can sign in, all calls that wait get the error, and the token is gone', async () => {
  const { controller, area, settings, tabs } = openTabs(1, () => Promise.reject(new Error('no password at hand')));
  const [edge] = tabs as [EdgeClient];
  const calls = [1, 2, 3].map(() => failure(edge.management.identities.list()));
  expect(await Promise.all(calls)).toEqual(calls.map(() => 'no password at hand'));
  const stored = area.values.get(`edge-session ${controller.url}`);
  expect([settings.asked, stored, edge.state]).toEqual([1, undefined, 'signed-out']);
  expect(await failure(edge.management.identities.list())).toContain('UNAUTHORIZED');
  edge.dispose();
});

test('a sign-out before the next call counts: nobody is asked', async () => {
  const { area, settings, tabs } = openTabs(1);
  const [edge] = tabs as [EdgeClient];
  await edge.restore();
  expect(await edge.signOut()).toEqual({ confirmed: true });
  expect(await failure(edge.management.identities.list())).toContain('UNAUTHORIZED');
  expect([settings.asked, [...area.values.keys()]]).toEqual([0, []]);
  edge.dispose();
});

test('a sign-in before the next call counts, too: when its session ends, nobody is asked twice', async () => {
  const { controller, settings, tabs } = openTabs(1, () => Promise.reject(new Error('no password at hand')));
  const [edge] = tabs as [EdgeClient];
  await edge.restore();
  await edge.signIn.password(alice);
  controller.live.clear();
  expect(await failure(edge.management.identities.list())).toBe('no password at hand');
  expect(await failure(edge.management.identities.list())).toContain('UNAUTHORIZED');
  expect([settings.asked, edge.state]).toEqual([1, 'expired']);
  edge.dispose();
});

test('a call that is aborted does not stop the sign-in that others wait for', async () => {
  let finish = () => {};
  const ready = new Promise<void>((resolve) => (finish = resolve));
  const { settings, tabs } = openTabs(1, async (edge) => {
    await ready;
    return edge.signIn.password(alice);
  });
  const [edge] = tabs as [EdgeClient];
  const aborter = new AbortController();
  const aborted = failure(edge.management.identities.list({}, { signal: aborter.signal }));
  const served = failure(edge.management.identities.list());
  await expect.poll(() => settings.asked).toBe(1);
  aborter.abort(new Error('enough'));
  expect(await aborted).toBe('enough');
  const late = failure(edge.management.identities.list());
  finish();
  expect([await served, await late, settings.asked]).toEqual(['served', 'served', 1]);
  edge.dispose();
});

test('without `reauthenticate` the token is removed, and the call is refused', async () => {
  const controller = fakeController();
  const storage = memoryStorage();
  const key = `edge-session ${controller.url}`;
  await storage.set(key, 'an ended token');
  const options: EdgeClientOptions = { fetch: controller.fetch, storage };
  await using edge = createEdgeClient(controller.url, options);
  expect(await failure(edge.management.identities.list())).toContain('UNAUTHORIZED');
  expect(await storage.get(key)).toBeNull();
});

test('a sign-out between the call and the re-authentication: nobody signs in, whatever is faster', async () => {
  for (let wait = 0; wait < 40; wait += 1) {
    let isOut = false;
    const late: number[] = [];
    const { controller, area, tabs } = openTabs(1, async (edge) => {
      if (isOut) late.push(wait);
      return edge.signIn.password(alice);
    });
    const [edge] = tabs as [EdgeClient];
    const done = failure(edge.management.identities.list());
    for (let turn = 0; turn < wait; turn += 1) await Promise.resolve();
    isOut = true;
    await edge.signOut();
    await done;
    expect([edge.state, late, area.values.get(`edge-session ${controller.url}`)]).toEqual([
      'signed-out',
      [],
      undefined,
    ]);
    edge.dispose();
  }
});
