import type { ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { expect, test, vi } from 'vitest';
import type { SeenRequest } from '../../test/support/scripted-server.ts';
import { json, refuse, scriptedController, scriptedServer, sessionDetail } from '../../test/support/scripted-server.ts';
import { createSessionVerifier } from './create-session-verifier.ts';
import { trustingFetch } from './no-trusting-fetch.ts';

const maxAge = 10_000;
const wait = { timeout: 20_000 };

/** A verifier at a time that the test sets. */
function verifierOf(controller: string | string[], options: { maxAge?: number; maxEntries?: number } = {}) {
  const time = { now: 1_000_000 };
  const verifier = createSessionVerifier({
    ...{ controller, maxAge, timeout: 20_000, clock: () => time.now },
    ...options,
  });
  return { time, verify: verifier.verifySession };
}

async function controllerWith(...tokens: string[]) {
  const server = await scriptedController();
  for (const token of tokens) server.live.add(token);
  return server;
}

/** Holds the responses until the test releases them. It answers later requests at once. */
async function heldController() {
  const pending: (() => void)[] = [];
  let isHolding = true;
  const server = await scriptedServer((seen, response) =>
    isHolding ? pending.push(() => accept(seen, response)) : accept(seen, response),
  );
  const release = () => {
    isHolding = false;
    for (const send of pending.splice(0)) send();
  };
  return Object.assign(server, { pending, release });
}

function accept(seen: SeenRequest, response: ServerResponse): void {
  json(response, 200, { data: sessionDetail(String(seen.headers['svc-session'])), meta: {} });
}

test('says whose session a token belongs to, in a frozen object without the token', async () => {
  await using server = await controllerWith('good');
  server.settings.detail = { authenticatorId: 'a-1', ipAddress: '10.0.0.1' };
  const { verify, time } = verifierOf(server.url);
  const session = await verify('good');
  expect(session).toEqual({
    id: 'id-of-good',
    identityId: 'identity-1',
    identity: { id: 'identity-1', name: 'alice' },
    authenticatorId: 'a-1',
    state: 'full',
    authQueries: [],
    ipAddress: '10.0.0.1',
    expiresAt: new Date(time.now + 1_800_000),
    verifiedAt: new Date(time.now),
  });
  expect(Object.isFrozen(session)).toBe(true);
  expect(inspect(session, { depth: 9 })).not.toContain('"good"');
  expect(server.seen[0]).toMatchObject({ method: 'GET', path: '/edge/client/v1/current-api-session' });
});

test('asks once for maxAge, and a session that has ended is refused after it', async () => {
  await using server = await controllerWith('good');
  const { verify, time } = verifierOf(server.url);
  await verify('good');
  server.live.delete('good');
  time.now += maxAge - 1;
  expect(await verify('good')).toMatchObject({ state: 'full' });
  expect(server.seen).toHaveLength(1);
  time.now += 1;
  expect(await verify('good')).toBeNull();
  expect(server.seen).toHaveLength(2);
});

test('a partial session is no session, unless the options allow it', async () => {
  await using server = await controllerWith('good');
  server.settings.detail = { authQueries: [{ typeId: 'MFA' }] };
  const { verify } = verifierOf(server.url);
  for (let round = 0; round < 2; round += 1) {
    expect(await verify('good')).toBeNull();
    expect(await verify('good', { allowPartial: false })).toBeNull();
    const session = await verify('good', { allowPartial: true });
    expect(session).toMatchObject({ state: 'partial', authQueries: [{ typeId: 'MFA' }] });
    if (session?.state === 'partial') expect(session.authQueries[0].typeId).toBe('MFA');
  }
  expect(server.seen).toHaveLength(1);
});

test('the result has the type that the options allow', async () => {
  await using server = await controllerWith('good');
  const { verify } = verifierOf(server.url);
  const state: 'full' | undefined = (await verify('good'))?.state;
  const allowPartial = state === 'full';
  // @ts-expect-error: it may be partial
  const other: 'full' | undefined = (await verify('good', { allowPartial }))?.state;
  expect([state, other]).toEqual(['full', 'full']);
});

test('an answer counts for half of the timeout of its session, and not after a step of the clock to the past', async () => {
  await using server = await controllerWith('short', 'good');
  const { verify, time } = verifierOf(server.url);
  server.settings.detail = { expirationSeconds: 3 };
  await verify('short');
  time.now += 1_499;
  await verify('short');
  expect(server.seen).toHaveLength(1);
  time.now += 1;
  expect(await verify('short')).toMatchObject({ expiresAt: new Date(time.now + 3_000) });
  expect(server.seen).toHaveLength(2);
  time.now -= 1;
  await verify('short');
  expect(server.seen).toHaveLength(3);
});

test('a session without an expiry is a session', async () => {
  await using server = await controllerWith('good');
  server.settings.detail = { expirationSeconds: undefined, expiresAt: undefined };
  const { verify } = verifierOf(server.url);
  expect(await verify('good')).toMatchObject({ expiresAt: null });
});

test('verifications of one token at the same time share one request', async () => {
  await using server = await heldController();
  const { verify } = verifierOf(server.url);
  const all = Array.from({ length: 100 }, () => verify('good'));
  await vi.waitFor(() => expect(server.pending).toHaveLength(1), wait);
  const aborted = verify('good', { signal: AbortSignal.abort(new Error('left')) });
  await expect(aborted).rejects.toThrow('left');
  server.release();
  expect(new Set(await Promise.all(all)).size).toBe(1);
  expect(server.seen).toHaveLength(1);
});

test('with maxAge 0 the controller is asked for every verification', async () => {
  await using server = await heldController();
  const { verify } = verifierOf(server.url, { maxAge: 0 });
  const first = verify('good');
  await vi.waitFor(() => expect(server.pending).toHaveLength(1), wait);
  const second = verify('good');
  await vi.waitFor(() => expect(server.pending).toHaveLength(2), wait);
  server.release();
  expect(await first).toMatchObject({ state: 'full' });
  expect(await second).toMatchObject({ state: 'full' });
});

test('an answer from before the clock was set back does not come back to life', async () => {
  await using server = await controllerWith('good');
  const { verify, time } = verifierOf(server.url);
  await verify('good');
  server.live.delete('good');
  time.now -= 60_000;
  expect(await verify('good')).toBeNull();
  time.now += 61_000;
  expect(await verify('good')).toBeNull();
});

test.each([
  [{ expirationSeconds: 0 }, { expiresAt: null }],
  [{ expirationSeconds: '60' }, { expiresAt: new Date(1_060_000) }],
  [{ authQueries: 'none' }, { name: 'EdgeInvalidResponseError' }],
])('a session with %j is %j', async (detail, result) => {
  await using server = await controllerWith('good');
  server.settings.detail = detail;
  expect(
    await verifierOf(server.url)
      .verify('good')
      .catch((error: unknown) => error),
  ).toMatchObject(result);
});

test('the 401 of a gateway says nothing about a token, although it has an envelope with a code', async () => {
  await using gateway = await scriptedServer((_seen, response) =>
    json(response, 401, { error: { code: 'AccessDenied', message: 'subscription key is missing' } }),
  );
  await expect(verifierOf(gateway.url).verify('good')).rejects.toMatchObject({ status: 401 });
});

test('refused tokens are remembered in a space of their own', async () => {
  await using server = await controllerWith('good');
  const { verify, time } = verifierOf(server.url, { maxEntries: 5 });
  await verify('good');
  for (let at = 0; at < 20; at += 1) expect(await verify(`random-${at}`)).toBeNull();
  for (let round = 0; round < 3; round += 1) await verify('random-19');
  expect(await verify('good')).not.toBeNull();
  expect(server.seen).toHaveLength(21);
  await verify('random-0');
  expect(server.seen).toHaveLength(22);
  time.now += maxAge;
  server.live.add('random-19');
  expect(await verify('random-19')).not.toBeNull();
});

test('remembers at most maxEntries sessions, those that were used last', async () => {
  await using server = await controllerWith('a', 'b', 'c');
  const { verify } = verifierOf(server.url, { maxEntries: 2 });
  for (const token of ['a', 'b', 'a', 'c']) await verify(token);
  expect(server.seen).toHaveLength(3);
  await verify('a');
  expect(server.seen).toHaveLength(3);
  await verify('b');
  expect(server.seen).toHaveLength(4);
});

test('no token and malformed tokens are refused without a request', async () => {
  await using server = await controllerWith();
  const { verify } = verifierOf(server.url);
  for (const token of [null, undefined, '', 'a b', 'a,b', 'ä', 'a\r\nb', 'x'.repeat(129)]) {
    expect(await verify(token)).toBeNull();
  }
  expect(server.seen).toEqual([]);
});

test('a flood of random tokens sends few requests at once and delays no known session', async () => {
  const time = { now: 1_000_000 };
  const pending: { token: string; send: () => void }[] = [];
  let sent = 0;
  const { verifySession: verify } = createSessionVerifier({
    ...{ controller: 'https://localhost:1280', maxAge, timeout: 60_000, clock: () => time.now },
    fetch: (input, init) =>
      new Promise((resolve) => {
        const token = new Request(input, init).headers.get('svc-session') ?? '';
        sent += 1;
        pending.push({ token, send: () => resolve(Response.json({ data: sessionDetail(token), meta: {} })) });
      }),
  });
  const release = () => {
    for (const { send } of pending.splice(0)) send();
  };
  const known = verify('good');
  await vi.waitFor(() => expect(pending).toHaveLength(1), wait);
  release();
  await known;
  time.now += maxAge;
  let open = 3_000;
  const flood = Array.from({ length: open }, (_, at) =>
    verify(`random-${at}`)
      .catch((error: Error) => error)
      .finally(() => {
        open -= 1;
      }),
  );
  await vi.waitFor(() => expect(open).toBe(1_016), wait);
  expect(pending).toHaveLength(16);
  const again = verify('good');
  await vi.waitFor(() => expect(pending.at(-1)?.token).toBe('good'), wait);
  pending.pop()?.send();
  expect(await again).not.toBeNull();
  await vi.waitFor(
    () => {
      expect(pending.length).toBeLessThanOrEqual(16);
      release();
      expect(open).toBe(0);
    },
    { ...wait, interval: 1 },
  );
  const errors = (await Promise.all(flood)).filter((one) => one instanceof Error);
  expect(errors).toHaveLength(3_000 - 1_016);
  expect(errors[0]).toMatchObject({ name: 'EdgeNetworkError', code: 'TOO_MANY_VERIFICATIONS' });
  expect(sent).toBe(1_018);
});

test('while the controller fails, young answers count and others are errors, never a refusal', async () => {
  let fail: ((response: ServerResponse) => void) | null = null;
  await using server = await scriptedServer((seen, response) => (fail ? fail(response) : accept(seen, response)));
  const { verify, time } = verifierOf(server.url);
  await verify('good');
  const failures: [(response: ServerResponse) => void, object][] = [
    [(response) => response.destroy(), { name: 'EdgeNetworkError' }],
    [(response) => refuse(response, 503, 'STORE_UNAVAILABLE'), { name: 'EdgeApiError', status: 503 }],
    [(response) => refuse(response, 429, 'SERVER_TOO_MANY_REQUESTS'), { name: 'EdgeApiError', status: 429 }],
    [
      (response) => response.writeHead(401, { 'content-type': 'text/html' }).end('<h1>Proxy</h1>'),
      { name: 'EdgeInvalidResponseError', status: 401 },
    ],
    [(response) => response.writeHead(302, { location: '/other' }).end(), { name: 'EdgeInvalidResponseError' }],
    [
      (response) => json(response, 200, { data: sessionDetail('of-another-user'), meta: {} }),
      { name: 'EdgeInvalidResponseError' },
    ],
    [(response) => json(response, 200, { data: {}, meta: {} }), { name: 'EdgeInvalidResponseError' }],
  ];
  for (const [how, error] of failures) {
    fail = how;
    expect(await verify('good')).not.toBeNull();
    await expect(verify('other')).rejects.toMatchObject(error);
  }
  time.now += maxAge;
  await expect(verify('good')).rejects.toMatchObject({ name: 'EdgeInvalidResponseError' });
  fail = null;
  expect(await verify('good')).not.toBeNull();
});

test('errors contain neither the token nor the JWT', async () => {
  const token = 'secret-token';
  const secondaryToken = 'e30.secretpayload.secretsignature';
  await using server = await scriptedServer((_seen, response) =>
    json(response, 400, { error: { code: 'BAD', message: `no ${token}, no ${secondaryToken}`, requestId: '' } }),
  );
  const { verify } = verifierOf(server.url);
  const error = await verify(token, { secondaryToken }).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ name: 'EdgeApiError', status: 400 });
  expect(inspect(error, { depth: 9 })).not.toContain('secret');
});

test('the JWT of the second factor is sent to the controller and has an answer of its own', async () => {
  await using server = await scriptedServer((seen, response) => {
    const authQueries = seen.headers.authorization === 'Bearer e30.e30.right' ? [] : [{ typeId: 'EXT-JWT' }];
    json(response, 200, { data: sessionDetail('good', { authQueries }), meta: {} });
  });
  const { verify } = verifierOf(server.url);
  for (let round = 0; round < 2; round += 1) {
    const stateWith = async (secondaryToken?: string) =>
      (await verify('good', { secondaryToken, allowPartial: true }))?.state;
    expect(await stateWith('e30.e30.right')).toBe('full');
    expect(await stateWith('e30.e30.wrong')).toBe('partial');
    expect(await stateWith('not a JWT')).toBe('partial');
    expect(await stateWith()).toBe('partial');
  }
  expect(server.seen.map(({ headers }) => headers.authorization)).toEqual([
    'Bearer e30.e30.right',
    'Bearer e30.e30.wrong',
    undefined,
  ]);
});

test('asks the next controller when one fails, and stays with the one that answers', async () => {
  await using broken = await scriptedServer((_seen, response) => refuse(response, 503, 'STORE_UNAVAILABLE'));
  await using server = await controllerWith('a', 'b');
  const { verify } = verifierOf(['http://127.0.0.1:1', broken.url, server.url]);
  expect(await verify('a')).not.toBeNull();
  expect(await verify('b')).not.toBeNull();
  expect(await verify('c')).toBeNull();
  expect([broken.seen.length, server.seen.length]).toEqual([1, 3]);
});

test('a controller that never responds ends in a time-out', async () => {
  await using server = await heldController();
  const verifier = createSessionVerifier({ controller: server.url, timeout: 50 });
  await expect(verifier.verifySession('good')).rejects.toMatchObject({ name: 'EdgeTimeoutError' });
});

test('questions that never end take the place of others for one time-out only', async () => {
  let isHung = true;
  const { verifySession } = createSessionVerifier({
    ...{ controller: 'https://localhost:1280', timeout: 200 },
    fetch: (input, init) => {
      if (isHung) return new Promise(() => undefined);
      const token = new Request(input, init).headers.get('svc-session') ?? '';
      return Promise.resolve(Response.json({ data: sessionDetail(token), meta: {} }));
    },
  });
  const hung = Array.from({ length: 20 }, (_, at) => verifySession(`hung-${at}`).catch((error: Error) => error.name));
  expect(new Set(await Promise.all(hung))).toEqual(new Set(['EdgeTimeoutError']));
  isHung = false;
  await vi.waitFor(async () => expect(await verifySession('good')).toMatchObject({ id: 'id-of-good' }), wait);
  expect(await verifySession('hung-0')).not.toBeNull();
});

test('a connection that breaks once is no failure', async () => {
  let broken = 0;
  await using server = await scriptedServer((seen, response) => {
    broken += 1;
    if (broken === 1) response.destroy();
    else accept(seen, response);
  });
  expect(await verifierOf(server.url).verify('good')).not.toBeNull();
});

test('options that cannot work are refused at once', async () => {
  const controller = 'https://localhost:1280';
  expect(() => createSessionVerifier({ controller: [] })).toThrow(TypeError);
  expect(() => createSessionVerifier({ controller: 'http://controller.example' })).toThrow('must be https:');
  expect(() => createSessionVerifier({ controller, maxAge: -1 })).toThrow('maxAge must be a number of at least 0');
  expect(() => createSessionVerifier({ controller, maxEntries: 0 })).toThrow('maxEntries');
  expect(() => createSessionVerifier({ controller, timeout: Number.NaN })).toThrow('timeout');
  expect(() => createSessionVerifier({ controller, ca: 'PEM', fetch })).toThrow('ca and caFile');
  expect(() => trustingFetch({ ca: 'PEM', caFile: undefined })).toThrow(TypeError);
  const { verifySession } = createSessionVerifier({ controller, caFile: 'no-such-file.pem' });
  await expect(verifySession('good')).rejects.toMatchObject({ code: 'ENOENT' });
  const other = createSessionVerifier({ controller, caFile: fileURLToPath(import.meta.url) });
  await expect(other.verifySession('good')).rejects.toThrow('has no PEM certificate');
});
