import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { json, refuse, scriptedController, scriptedServer } from '../../test/support/scripted-server.ts';
import {
  createEdgeClient,
  isEdgeApiError,
  isEdgeInvalidResponseError,
  isEdgeNetworkError,
  isEdgeTimeoutError,
} from '../index.ts';

const failure = (call: Promise<unknown>) =>
  call.then(
    () => expect.fail('the call succeeded'),
    (error: unknown) => error,
  );

test('the error envelope becomes an EdgeApiError', async () => {
  await using server = await scriptedServer((_seen, response) =>
    json(response, 400, {
      error: {
        code: 'COULD_NOT_VALIDATE',
        message: 'see cause',
        requestId: 'r-9',
        cause: { field: 'name', reason: 'too long' },
      },
      meta: {},
    }),
  );
  const error = await failure(createEdgeClient(server.url).client.version.get());
  expect(
    isEdgeApiError(error) && isEdgeApiError(error, 'COULD_NOT_VALIDATE') && !isEdgeApiError(error, 'NOT_FOUND'),
  ).toBe(true);
  expect(error).toMatchObject({ status: 400, requestId: 'r-9', cause: { field: 'name' }, retryAfter: null });
  expect(error).toHaveProperty('message', 'see cause: name: too long (COULD_NOT_VALIDATE)');
});

test.each([
  [undefined, 'see cause (COULD_NOT_VALIDATE)'],
  [{ field: 'name', value: 'a value' }, 'see cause: name (COULD_NOT_VALIDATE)'],
  [{ code: 'UNHANDLED', message: 'too late' }, 'see cause: too late (COULD_NOT_VALIDATE)'],
  [{ field: 'certPem', reason: 'x'.repeat(1_000) }, `see cause: certPem: ${'x'.repeat(200)}… (COULD_NOT_VALIDATE)`],
  [{ field: 'password', reason: 'pw is too short' }, 'see cause: password (COULD_NOT_VALIDATE)'],
])(
  'the message of an error says the field and the reason, and stays short and without secrets (%#)',
  async (cause, message) => {
    await using server = await scriptedServer((_seen, response) =>
      json(response, 400, { error: { code: 'COULD_NOT_VALIDATE', message: 'see cause', requestId: 'r', cause } }),
    );
    const error = await failure(createEdgeClient(server.url).signIn.password({ username: 'alice', password: 'pw' }));
    expect(error).toHaveProperty('message', message);
  },
);

test('no error contains the password or the token, even when the controller quotes them', async () => {
  await using server = await scriptedServer((seen, response) => {
    const { password } = JSON.parse(seen.body);
    json(response, 400, {
      error: { code: 'COULD_NOT_VALIDATE', message: `bad ${password}`, requestId: 'r', cause: { value: password } },
    });
  });
  const secret = 'hunter2-hunter2';
  const refused = await failure(createEdgeClient(server.url).signIn.password({ username: 'alice', password: secret }));
  const lost = await failure(
    createEdgeClient('http://127.0.0.1:1').signIn.password({ username: 'alice', password: secret }),
  );
  expect(inspect([refused, lost], { depth: 20, showHidden: true })).not.toContain(secret);
});

test('secrets are not removed from codes and request ids, and short secrets are not removed at all', async () => {
  await using server = await scriptedServer((seen, response) => {
    const { password } = JSON.parse(seen.body);
    const cause = { reason: `bad ${password}` };
    json(response, 400, {
      error: { code: `X_${password}`, message: 'a bad thing', requestId: `r-${password}`, cause },
    });
  });
  const signIn = (password: string) => createEdgeClient(server.url).signIn.password({ username: 'alice', password });
  expect(await failure(signIn('a'))).toMatchObject({
    ...{ code: 'X_a', requestId: 'r-a', message: 'a bad thing (X_a)', cause: { reason: 'bad a' } },
  });
  expect(await failure(signIn('thing'))).toMatchObject({
    ...{ code: 'X_thing', requestId: 'r-thing', message: 'a bad [redacted]: bad [redacted] (X_thing)' },
    cause: { reason: 'bad [redacted]' },
  });
});

test('no error of a failed call contains the token', async () => {
  const controller = await scriptedController((_seen, response) => response.destroy());
  const edge = createEdgeClient(controller.url, { retries: 0 });
  await edge.signIn.password({ username: 'alice', password: 'a password' });
  const error = await failure(edge.management.identities.list());
  await controller[Symbol.asyncDispose]();
  expect(isEdgeNetworkError(error)).toBe(true);
  expect(inspect(error, { depth: 20, showHidden: true })).not.toContain('token-1');
});

test('a response without the envelope is an invalid response', async () => {
  await using server = await scriptedServer((seen, response) => {
    if (seen.path.endsWith('/version'))
      return response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>');
    return response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end();
  });
  const { client } = createEdgeClient(server.url);
  expect(await failure(client.version.get())).toMatchObject({ name: 'EdgeInvalidResponseError', status: 502 });
  const error = await failure(client.specs.list());
  expect(isEdgeInvalidResponseError(error)).toBe(true);
  expect(error).toMatchObject({ status: 302 });
});

test('the timeout covers headers and body, and an aborted call rejects with the reason of the signal', async () => {
  await using server = await scriptedServer((seen, response) => {
    if (seen.path.endsWith('/version'))
      response.writeHead(200, { 'content-type': 'application/json' }).write('{"data":');
  });
  const { client } = createEdgeClient(server.url, { timeout: 100 });
  const slowBody = await failure(client.version.get());
  const slowHeaders = await failure(client.specs.list({ timeout: 60 }));
  expect([slowBody, slowHeaders].every(isEdgeTimeoutError)).toBe(true);
  expect(slowHeaders).toMatchObject({ timeout: 60 });
  const controller = new AbortController();
  const call = failure(client.version.get({ signal: controller.signal, timeout: 5000 }));
  await sleep(30);
  const reason = new Error('user left the page');
  controller.abort(reason);
  expect(await call).toBe(reason);
  expect(await failure(client.version.get({ signal: AbortSignal.abort(reason) }))).toBe(reason);
});

test('a GET is retried after 503 with Retry-After, a POST is not', async () => {
  let refusals = 1;
  await using controller = await scriptedController((seen, response) => {
    if (refusals > 0 || seen.method === 'POST') {
      refusals -= 1;
      return refuse(response, 503, 'STORE_UNAVAILABLE', { 'retry-after': '1' });
    }
    return json(response, 200, { data: [], meta: {} });
  });
  const edge = createEdgeClient(controller.url);
  await edge.signIn.password({ username: 'alice', password: 'a password' });
  const start = performance.now();
  await edge.management.identities.list();
  expect(performance.now() - start).toBeGreaterThan(900);
  const error = await failure(edge.management.identities.create({ name: 'x', type: 'User', isAdmin: false }));
  expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE', retryAfter: 1 });
  expect(controller.seen.filter(({ method, path }) => method === 'POST' && path.endsWith('/identities'))).toHaveLength(
    1,
  );
});

test('the client does not wait for a long Retry-After', async () => {
  await using server = await scriptedServer((_seen, response) =>
    refuse(response, 429, 'SERVER_TOO_MANY_REQUESTS', { 'retry-after': '60' }),
  );
  const error = await failure(createEdgeClient(server.url).client.version.get());
  expect(error).toMatchObject({ status: 429, retryAfter: 60 });
  expect(server.seen).toHaveLength(1);
});

test('path parameters are encoded and cannot lead to another operation', async () => {
  await using server = await scriptedServer((_seen, response) => refuse(response, 404, 'NOT_FOUND'));
  const { client } = createEdgeClient(server.url);
  await failure(client.specs.get('a/../b?c'));
  expect(server.seen[0]?.path).toBe('/edge/client/v1/specs/a%2F..%2Fb%3Fc');
  await expect(client.specs.get('')).rejects.toThrow(TypeError);
  await expect(client.specs.get('..')).rejects.toThrow(TypeError);
});
