import { expect, test } from 'vitest';
import { json, refuse, scriptedController, scriptedServer } from '../../test/support/scripted-server.ts';
import { createEdgeClient, isEdgeTimeoutError } from '../index.ts';

const nowhere = 'http://127.0.0.1:1';
const version = { data: { version: '1' }, meta: {} };
const alice = { username: 'alice', password: 'a password' };
const failure = (call: Promise<unknown>) =>
  call.then(
    () => expect.fail('the call succeeded'),
    (error: unknown) => error,
  );

test('a call goes to the next controller after a lost connection, and later calls begin there', async () => {
  await using lost = await scriptedServer((_seen, response) => response.destroy());
  await using works = await scriptedServer((_seen, response) => json(response, 200, version));
  const { client } = createEdgeClient([nowhere, lost.url, works.url], { retries: 0 });
  expect(await client.version.get()).toEqual({ version: '1' });
  expect(lost.seen).toHaveLength(1);
  await client.version.get();
  expect([lost.seen.length, works.seen.length]).toEqual([1, 2]);
});

test.each([500, 502, 503])('a call goes to the next controller after a %s', async (status) => {
  await using broken = await scriptedServer((_seen, response) => refuse(response, status, 'UNHANDLED'));
  await using works = await scriptedServer((_seen, response) => json(response, 200, version));
  expect(await createEdgeClient([broken.url, works.url], { retries: 0 }).client.version.get()).toEqual({
    version: '1',
  });
});

test('a 4xx is the result of the call', async () => {
  await using refuses = await scriptedServer((_seen, response) => refuse(response, 404, 'NOT_FOUND'));
  await using other = await scriptedServer((_seen, response) => json(response, 200, version));
  const { client } = createEdgeClient([refuses.url, other.url]);
  expect(await failure(client.version.get())).toMatchObject({ code: 'NOT_FOUND' });
  expect(other.seen).toEqual([]);
});

test('a 429 is repeated at the same controller, at most `retries` times', async () => {
  await using refuses = await scriptedServer((_seen, response) =>
    refuse(response, 429, 'SERVER_TOO_MANY_REQUESTS', { 'retry-after': '0' }),
  );
  await using other = await scriptedServer((_seen, response) => json(response, 200, version));
  const { client } = createEdgeClient([refuses.url, other.url], { retries: 1 });
  expect(await failure(client.version.get())).toMatchObject({ status: 429 });
  expect([refuses.seen.length, other.seen.length]).toEqual([2, 0]);
});

test('a body and the hooks go along to the next controller', async () => {
  await using broken = await scriptedServer((_seen, response) => refuse(response, 503, 'STORE_UNAVAILABLE'));
  await using works = await scriptedController();
  const urls: string[] = [];
  const onRequest = ({ url }: { url: string }) => urls.push(new URL(url).origin);
  await createEdgeClient([broken.url, works.url], { onRequest }).signIn.password(alice);
  expect(urls).toEqual([broken.url, works.url]);
  expect(works.seen[0]?.body).toBe(broken.seen[0]?.body);
  expect(works.seen[0]?.body).toContain('a password');
});

test('a controller that does not respond gets a part of the time only', async () => {
  await using silent = await scriptedServer(() => undefined);
  await using works = await scriptedServer((_seen, response) => json(response, 200, version));
  const { client } = createEdgeClient([silent.url, works.url], { timeout: 2_000 });
  expect(await client.version.get()).toEqual({ version: '1' });
  expect(silent.seen).toHaveLength(1);
});

test.each([Number.POSITIVE_INFINITY, 5_000_000_000])(
  'a time of %d ms is no limit with several controllers either',
  async (timeout) => {
    await using works = await scriptedServer((_seen, response) => json(response, 200, version));
    const { client } = createEdgeClient([nowhere, works.url], { retries: 0, timeout });
    expect(await client.version.get()).toEqual({ version: '1' });
  },
);

test('when no controller responds in time, the error has the time limit of the call', async () => {
  await using first = await scriptedServer(() => undefined);
  await using second = await scriptedServer(() => undefined);
  const error = await failure(createEdgeClient([first.url, second.url], { timeout: 1_000 }).client.version.get());
  expect(isEdgeTimeoutError(error) && error.timeout).toBe(1_000);
  expect(second.seen).toHaveLength(1);
});

test('a request that may have been executed is not sent again, but the next request goes to the next controller', async () => {
  await using other = await scriptedController((_seen, response) =>
    json(response, 201, { data: { id: 'new', _links: {} }, meta: {} }),
  );
  await using first = await scriptedController((_seen, response) => response.destroy());
  const edge = createEdgeClient([first.url, other.url], { retries: 1 });
  await edge.signIn.password(alice);
  other.live.add('token-1');
  const create = () => edge.management.identities.create({ name: 'x', type: 'User', isAdmin: false });
  expect(await failure(create())).toMatchObject({ name: 'EdgeNetworkError' });
  expect(other.seen).toEqual([]);
  expect(await create()).toMatchObject({ id: 'new' });
});

test('a request whose connection was refused goes to the next controller, whatever its method', async () => {
  const closed = await scriptedServer(() => undefined);
  await closed[Symbol.asyncDispose]();
  await using works = await scriptedServer((_seen, response) => refuse(response, 400, 'INVALID_ENROLLMENT_TOKEN'));
  const { client } = createEdgeClient([closed.url, works.url], { retries: 0 });
  const enrollment = client.enroll.enroll({ method: 'ott', token: 'used' }, {});
  expect(await failure(enrollment)).toMatchObject({ code: 'INVALID_ENROLLMENT_TOKEN' });
});

test('a sign-in may be sent again', async () => {
  await using lost = await scriptedServer((_seen, response) => response.destroy());
  await using works = await scriptedController();
  const session = await createEdgeClient([lost.url, works.url], { retries: 0 }).signIn.password(alice);
  expect(session.state).toBe('full');
});

test('after all controllers have failed, the client waits and begins again', async () => {
  let refusals = 2;
  const script = (_seen: unknown, response: Parameters<typeof json>[0]) => {
    refusals -= 1;
    return refusals >= 0 ? refuse(response, 503, 'STORE_UNAVAILABLE') : json(response, 200, version);
  };
  await using first = await scriptedServer(script);
  await using second = await scriptedServer(script);
  const { client } = createEdgeClient([first.url, second.url], { retries: 1 });
  expect(await client.version.get()).toEqual({ version: '1' });
  expect(first.seen.length + second.seen.length).toBe(3);
});

test('edge.fetch sends the token to all controllers, and the storage key is that of the first', async () => {
  await using first = await scriptedController();
  await using second = await scriptedServer((_seen, response) => json(response, 200, {}));
  const keys: string[] = [];
  const storage = { get: () => null, set: (key: string) => void keys.push(key), remove: () => undefined };
  const edge = createEdgeClient([first.url, second.url], { storage });
  await edge.signIn.password(alice);
  await edge.fetch(`${second.url}/anything`);
  expect(second.seen[0]?.headers['svc-session']).toBe('token-1');
  expect(keys).toEqual([`edge-session ${first.url}`]);
});

test('every URL of the list is checked, and an empty list is refused', () => {
  expect(() => createEdgeClient(['https://a.example', 'http://b.example'])).toThrow(/must be https:/);
  expect(() => createEdgeClient([])).toThrow(/empty/);
});

test.each(['localhost:1280', 'edge.example', '127.0.0.1:1280', '[::1]:1280'])(
  '%s is refused with the right URL',
  (url) => {
    expect(() => createEdgeClient(url)).toThrow(`write https://${url}`);
  },
);
