import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { jwtController, jwtQuery, jwtsOf } from '../../test/support/jwt-controller.ts';
import { scriptedServer } from '../../test/support/scripted-server.ts';
import { unsignedJwt } from '../../test/support/unsigned-jwt.ts';
import type { AuthQueryDetail, EdgeClient, EdgeClientOptions, GetToken } from '../index.ts';
import { createEdgeClient, isEdgeAuthQueryError, isEdgeTokenError, memoryStorage } from '../index.ts';

const alice = { username: 'alice', password: 'a password' };
const [first, second] = [unsignedJwt('first'), unsignedJwt('second')];

const failure = (call: Promise<unknown>) =>
  call.then(
    () => expect.fail('the call succeeded'),
    (error: unknown) => error,
  );

/** A controller that accepts `first`, and a client whose provider issues `jwts`, one after the other. */
async function setUp(jwts: (string | null)[], options: EdgeClientOptions = {}) {
  const controller = await jwtController();
  controller.accepted.add(first);
  const reasons: string[] = [];
  const getToken: GetToken = async ({ reason }) => {
    reasons.push(reason);
    const [next = null] = jwts.length > 1 ? jwts.splice(0, 1) : jwts;
    return next;
  };
  const edge: EdgeClient = createEdgeClient(controller.url, { secondaryToken: { getToken }, ...options });
  const events: string[] = [];
  edge.on('session', ({ state }) => events.push(state));
  edge.on('expired', () => events.push('expired'));
  return { controller, edge, reasons, events, getToken };
}

/** The controller accepts the second JWT in the place of the first one. */
function rotate({ accepted }: Awaited<ReturnType<typeof jwtController>>) {
  accepted.clear();
  accepted.add(second);
}

test('the JWT is sent with the sign-in and with every request of the session but its end, and nobody is asked', async () => {
  const { controller, edge, reasons, events } = await setUp([first], { onAuthQuery: () => expect.fail('asked') });
  await using _closed = controller;
  expect((await edge.signIn.password(alice)).state).toBe('full');
  await edge.management.identities.list();
  await edge.fetch(`${controller.url}/edge/client/v1/app`);
  await edge.client.version.get().catch(() => undefined);
  await edge.signOut();
  expect(controller.seen.map((seen) => jwtsOf(seen))).toEqual([[first], [first], [first], [], []]);
  expect([reasons, events]).toEqual([['needed'], ['full']]);
});

test('the JWT is never sent to other origins, and a header of the application stays', async () => {
  await using foreign = await scriptedServer((_seen, response) => response.end());
  const { controller, edge } = await setUp([first], { origins: [foreign.url] });
  await using _closed = controller;
  await edge.signIn.password(alice);
  await edge.fetch(foreign.url);
  expect(foreign.seen[0]?.headers).toMatchObject({ 'svc-session': 'token-1' });
  expect(foreign.seen[0]?.headers.authorization).toBeUndefined();
  await edge.fetch(`${controller.url}/edge/client/v1/app`, { headers: { authorization: 'Basic eA==' } });
  const sent = controller.seen.find(({ path }) => path.endsWith('/app'));
  expect(sent?.headers.authorization).toBe('Basic eA==');
});

test('when the JWT has expired, 50 calls ask once for another, are sent again, and the session stays full', async () => {
  const { controller, edge, reasons, events } = await setUp([first, second]);
  await using _closed = controller;
  await edge.signIn.password(alice);
  rotate(controller);
  await Promise.all(Array.from({ length: 50 }, () => edge.management.identities.list()));
  expect([reasons, events, edge.session?.state]).toEqual([['needed', 'refused'], ['full'], 'full']);
  await edge.management.identities.list();
  expect(reasons).toHaveLength(2);
});

test('when the next JWT is refused too, the call rejects with OUTSTANDING and the session is partial', async () => {
  const { controller, edge, reasons, events } = await setUp([first]);
  await using _closed = controller;
  await edge.signIn.password(alice);
  rotate(controller);
  expect(isEdgeAuthQueryError(await failure(edge.management.identities.list()), 'OUTSTANDING')).toBe(true);
  expect([reasons, events]).toEqual([
    ['needed', 'refused'],
    ['full', 'partial'],
  ]);
  expect(edge.session?.authQueries).toEqual([jwtQuery]);
});

test('a sign-in whose JWT has expired asks for another one, and emits one event', async () => {
  const { controller, edge, reasons, events } = await setUp([second, first]);
  await using _closed = controller;
  expect((await edge.signIn.password(alice)).state).toBe('full');
  expect([reasons, events]).toEqual([['needed', 'expired'], ['full']]);
  expect(controller.live.size).toBe(1);
});

test('an error of getToken is the error of the call, and the session can go on', async () => {
  const outage = new Error('the provider is away');
  let isAway = true;
  const { controller, edge } = await setUp([], {
    secondaryToken: {
      getToken: () => {
        if (isAway) throw outage;
        return first;
      },
    },
  });
  await using _closed = controller;
  expect(await failure(edge.signIn.password(alice))).toBe(outage);
  isAway = false;
  expect((await edge.signIn.password(alice)).state).toBe('full');
});

test('a sign-out asks nobody for a JWT', async () => {
  const { controller, edge, reasons } = await setUp([first, second]);
  await using _closed = controller;
  await edge.signIn.password(alice);
  rotate(controller);
  await edge.signOut();
  expect([reasons, edge.session]).toEqual([['needed'], null]);
});

test('the timeout of an answer applies to its requests, not to the time that its function takes', async () => {
  const { controller, edge } = await setUp([], { secondaryToken: undefined });
  await using _closed = controller;
  await edge.signIn.password(alice);
  const slow = async () => {
    await sleep(1_100);
    return first;
  };
  const { state } = await edge.answer.extJwt(slow, { timeout: 1_000 });
  expect(state).toBe('full');
  const aborter = new AbortController();
  const waiting = failure(edge.answer.extJwt(() => new Promise(() => {}), { signal: aborter.signal }));
  const reason = new Error('the person left');
  aborter.abort(reason);
  expect(await waiting).toBe(reason);
});

test('when getToken fails after a refusal, the session shows that it is partial', async () => {
  const { controller, edge, events } = await setUp([], {
    secondaryToken: {
      getToken: ({ reason }) => {
        if (reason !== 'needed') throw new Error('the provider is away');
        return first;
      },
    },
  });
  await using _closed = controller;
  await edge.signIn.password(alice);
  rotate(controller);
  await expect(edge.client.currentApiSession.get()).rejects.toThrow('the provider is away');
  expect([events, edge.session?.state]).toEqual([['full', 'partial'], 'partial']);
});

test('without a JWT the query reaches the handler with what it needs, and its answer is sent from then on', async () => {
  const asked: AuthQueryDetail[] = [];
  const { controller, edge, events } = await setUp([null], {
    async onAuthQuery(query, answer) {
      asked.push(query);
      const refused = await failure(answer.extJwt(second));
      expect(isEdgeTokenError(refused, 'REFUSED')).toBe(true);
      expect(inspect(refused)).not.toContain(second);
      expect(isEdgeTokenError(await failure(answer.extJwt(() => null)), 'NO_TOKEN')).toBe(true);
      await answer.extJwt(first);
    },
  });
  await using _closed = controller;
  expect((await edge.signIn.password(alice)).state).toBe('full');
  await edge.management.identities.list();
  expect([asked, events, jwtsOf(controller.seen.at(-1)!)]).toEqual([[jwtQuery], ['full'], [first]]);
});

test('a function as the answer is asked again for the same session; the next session is asked anew', async () => {
  const reasons: string[] = [];
  const jwts = [first, second];
  const { controller, edge } = await setUp([], { secondaryToken: undefined });
  await using _closed = controller;
  expect((await edge.signIn.password(alice)).state).toBe('partial');
  const getToken: GetToken = ({ reason }) => {
    reasons.push(reason);
    return jwts.shift() ?? null;
  };
  expect((await edge.answer.extJwt(getToken)).state).toBe('full');
  rotate(controller);
  await edge.management.identities.list();
  expect(reasons).toEqual(['needed', 'refused']);
  expect((await edge.signIn.password(alice)).state).toBe('partial');
  expect(jwtsOf(controller.seen.at(-1)!)).toEqual([]);
});

test('a refused answer is not sent again, and the answer before it stays', async () => {
  const { controller, edge } = await setUp([], { secondaryToken: undefined });
  await using _closed = controller;
  await edge.signIn.password(alice);
  expect(isEdgeTokenError(await failure(edge.answer.extJwt(second)), 'REFUSED')).toBe(true);
  await edge.client.currentApiSession.get();
  expect(jwtsOf(controller.seen.at(-1)!)).toEqual([]);
  await edge.answer.extJwt(first);
  expect(isEdgeTokenError(await failure(edge.answer.extJwt(second)), 'REFUSED')).toBe(true);
  await edge.management.identities.list();
  expect(jwtsOf(controller.seen.at(-1)!)).toEqual([first]);
});

test('a call without permission is sent once, and asks nobody', async () => {
  const { controller, edge, reasons } = await setUp([first]);
  await using _closed = controller;
  await edge.signIn.password(alice);
  await expect(edge.management.authenticators.list()).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  const paths = controller.seen.map(({ path }) => path.split('/').at(-1));
  expect(paths.filter((path) => path === 'authenticators')).toHaveLength(1);
  expect([reasons, edge.session?.state]).toEqual([['needed'], 'full']);
});

test('a source of one signer does not answer the query of another', async () => {
  const asked: string[] = [];
  const { controller, edge, reasons, getToken } = await setUp([second]);
  await using _closed = controller;
  const other = createEdgeClient(controller.url, { secondaryToken: { getToken, signer: 'signer-2' } });
  await other.signIn.password(alice, { onAuthQuery: (query) => query.typeId === 'EXT-JWT' && asked.push(query.id) });
  expect([asked, reasons, other.session?.state]).toEqual([['signer-1'], ['needed'], 'partial']);
  expect(edge.session).toBeNull();
});

test('a session from the storage goes on with the JWT of the source', async () => {
  const storage = memoryStorage();
  const { controller, edge, getToken } = await setUp([first], { storage });
  await using _closed = controller;
  await edge.signIn.password(alice);
  const reloaded = createEdgeClient(controller.url, { storage, secondaryToken: { getToken } });
  expect((await reloaded.restore())?.state).toBe('full');
});

test('the JWT of an ended session is not used for the next person', async () => {
  const { controller, edge, reasons } = await setUp([first]);
  await using _closed = controller;
  await edge.signIn.password(alice);
  await edge.signOut();
  await edge.signIn.password(alice);
  expect(reasons).toEqual(['needed', 'needed']);
});

test('a call does not wait for getToken longer than its timeout, and then getToken is aborted', async () => {
  let aborted: unknown;
  const { controller, edge } = await setUp([], {
    secondaryToken: {
      getToken: ({ signal }) =>
        new Promise<string>(() => signal.addEventListener('abort', () => (aborted = signal.reason))),
    },
  });
  await using _closed = controller;
  const error = await failure(edge.signIn.password(alice, { timeout: 100 }));
  expect(error).toMatchObject({ name: 'EdgeTimeoutError' });
  expect(aborted).toBe(error);
  expect(controller.seen).toHaveLength(0);
});
