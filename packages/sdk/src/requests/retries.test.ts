import { expect, test } from 'vitest';
import { json, refuse, scriptedController, scriptedServer } from '../../test/support/scripted-server.ts';
import type { EdgeClient } from '../index.ts';
import { createEdgeClient } from '../index.ts';

const alice = { username: 'alice', password: 'a password' };
const created = { data: { id: 'new', _links: {} }, meta: {} };
const failure = (call: Promise<unknown>) =>
  call.then(
    () => expect.fail('the call succeeded'),
    (error: unknown) => error,
  );

/** A signed-in client of a controller whose first response is another one. */
async function refusedOnce(first: Parameters<typeof scriptedController>[0]) {
  let requests = 0;
  const controller = await scriptedController((seen, response) => {
    requests += 1;
    return requests === 1 ? first?.(seen, response) : json(response, 200, created);
  });
  const edge = createEdgeClient(controller.url);
  await edge.signIn.password(alice);
  const create = () => edge.management.identities.create({ name: 'x', type: 'User', isAdmin: false });
  return { edge, create, requests: () => requests, [Symbol.asyncDispose]: () => controller[Symbol.asyncDispose]() };
}

test('after a 429 of the controller, which has done nothing, a POST and a DELETE are sent again', async () => {
  await using posts = await refusedOnce((_seen, response) => refuse(response, 429, 'SERVER_TOO_MANY_REQUESTS'));
  expect(await posts.create()).toMatchObject({ id: 'new' });
  await using deletes = await refusedOnce((_seen, response) =>
    refuse(response, 429, 'SERVER_TOO_MANY_REQUESTS', { 'retry-after': '0' }),
  );
  await deletes.edge.management.identities.delete('id');
  expect([posts.requests(), deletes.requests()]).toEqual([2, 2]);
});

test('after a 429 of a proxy, a 503 or a 504, a POST is not sent again', async () => {
  await using proxied = await refusedOnce((_seen, response) => response.writeHead(429).end('slow down'));
  expect(await failure(proxied.create())).toMatchObject({ name: 'EdgeInvalidResponseError', status: 429 });
  await using refused = await refusedOnce((_seen, response) =>
    refuse(response, 503, 'TIMEOUT', { 'retry-after': '0' }),
  );
  expect(await failure(refused.create())).toMatchObject({ code: 'TIMEOUT' });
  await using late = await refusedOnce((_seen, response) => response.writeHead(504).end());
  expect(await failure(late.create())).toMatchObject({ status: 504 });
  expect([proxied.requests(), refused.requests(), late.requests()]).toEqual([1, 1, 1]);
});

test.each([502, 504])('a GET is sent again after a %s of a proxy', async (status) => {
  await using refused = await refusedOnce((_seen, response) => response.writeHead(status).end());
  await refused.edge.management.identities.get('id');
  expect(refused.requests()).toBe(2);
});

test('a GET is sent again when the connection is lost while the body comes', async () => {
  await using lost = await refusedOnce((_seen, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '99' }).write('{"data":');
    setImmediate(() => response.destroy());
  });
  expect(await lost.edge.management.identities.get('id')).toMatchObject({ id: 'new' });
  expect(lost.requests()).toBe(2);
});

test('a GET is sent again after any error of `fetch`, a POST only when nobody has received it', async () => {
  const count = async (call: (edge: EdgeClient) => Promise<unknown>, cause?: Error) => {
    let failures = 0;
    const fetch = async () => {
      failures += 1;
      throw new TypeError('no', { cause });
    };
    await failure(call(createEdgeClient('https://edge.example', { fetch, retries: 1 })));
    return failures;
  };
  const get = ({ client }: EdgeClient) => client.version.get();
  const post = ({ client }: EdgeClient) => client.enroll.enroll({ method: 'ott', token: 'a token' }, {});
  const withCode = (code: string) => Object.assign(new Error('no'), { code });
  expect([await count(get), await count(post)]).toEqual([2, 1]);
  expect([await count(get, withCode('ECONNRESET')), await count(post, withCode('ECONNRESET'))]).toEqual([2, 1]);
  expect([await count(get, withCode('ECONNREFUSED')), await count(post, withCode('ECONNREFUSED'))]).toEqual([2, 2]);
  const untrusted = withCode('SELF_SIGNED_CERT_IN_CHAIN');
  expect([await count(get, untrusted), await count(post, untrusted)]).toEqual([1, 1]);
});

test.each(['recoveryCodes', 'regenerate'] as const)(
  'a call with a TOTP code in its header or its body is not sent again after a response: %s',
  async (call) => {
    await using refused = await refusedOnce((_seen, response) =>
      refuse(response, 429, 'SERVER_TOO_MANY_REQUESTS', { 'retry-after': '0' }),
    );
    expect(await failure(refused.edge.mfa[call]('123456'))).toMatchObject({ status: 429 });
    expect(refused.requests()).toBe(1);
  },
);

test('the client does not wait longer than the time that is left', async () => {
  await using server = await scriptedServer((_seen, response) =>
    refuse(response, 503, 'STORE_UNAVAILABLE', { 'retry-after': '5' }),
  );
  const { client } = createEdgeClient(server.url, { timeout: 1_000 });
  expect(await failure(client.version.get())).toMatchObject({ code: 'STORE_UNAVAILABLE', retryAfter: 5 });
  expect(server.seen).toHaveLength(1);
});

test('a time-out after a 503 says that the last response was 503', async () => {
  await using server = await scriptedServer((_seen, response) => {
    if (server.seen.length === 1) refuse(response, 503, 'STORE_UNAVAILABLE', { 'retry-after': '0' });
  });
  const error = await failure(createEdgeClient(server.url, { timeout: 300 }).client.version.get());
  expect(error).toMatchObject({ name: 'EdgeTimeoutError', lastStatus: 503 });
  expect(String(error)).toContain('; the last response was 503');
});
