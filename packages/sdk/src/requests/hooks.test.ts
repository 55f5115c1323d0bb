import { inspect } from 'node:util';
import ky from 'ky';
import { expect, test } from 'vitest';
import { json, refuse, scriptedController, scriptedServer } from '../../test/support/scripted-server.ts';
import type { EdgeClientOptions, EdgeRequest } from '../index.ts';
import { createEdgeClient } from '../index.ts';

const version = { data: { version: '1' }, meta: {} };
const alice = { username: 'alice', password: 'a password' };

test('headers of the client are sent with every request, and those of the call win', async () => {
  await using controller = await scriptedController((_seen, response) => json(response, 200, { data: {}, meta: {} }));
  const edge = createEdgeClient(controller.url, {
    headers: ({ method }) => ({ 'x-method': method, 'svc-session': 'forged', accept: 'text/html' }),
  });
  await edge.signIn.password(alice);
  await edge.management.identities.get('id');
  expect(controller.seen.map(({ headers }) => headers['x-method'])).toEqual(['POST', 'GET']);
  expect(controller.seen[1]?.headers).toMatchObject({ 'svc-session': 'token-1', accept: 'application/json' });
});

test('onRequest runs before every request and may change its headers; onResponse can read every response', async () => {
  await using server = await scriptedServer((_seen, response) =>
    server.seen.length === 1
      ? refuse(response, 503, 'STORE_UNAVAILABLE', { 'retry-after': '0' })
      : json(response, 200, version),
  );
  const seen: unknown[] = [];
  const { client } = createEdgeClient(server.url, {
    onRequest: ({ headers }) => headers.set('x-count', String(server.seen.length)),
    onResponse: async ({ method, url }, response) => seen.push([method, url, response.status, await response.json()]),
  });
  expect(await client.version.get()).toEqual({ version: '1' });
  expect(server.seen.map(({ headers }) => headers['x-count'])).toEqual(['0', '1']);
  const url = `${server.url}/edge/client/v1/version`;
  expect(seen).toMatchObject([
    ['GET', url, 503, { error: { code: 'STORE_UNAVAILABLE' } }],
    ['GET', url, 200, version],
  ]);
});

test.each(['onRequest', 'onResponse'] as const)('an error in %s is the error of the call', async (name) => {
  await using server = await scriptedServer((_seen, response) => json(response, 200, version));
  const reason = new Error('from the hook');
  const options = { [name]: () => Promise.reject(reason) };
  await expect(createEdgeClient(server.url, options).client.version.get()).rejects.toBe(reason);
  expect(server.seen).toHaveLength(name === 'onRequest' ? 0 : 1);
});

test('a hook may use ky: its error is not taken for a response of the controller', async () => {
  await using server = await scriptedServer((_seen, response) => json(response, 200, version));
  await using other = await scriptedServer((_seen, response) => refuse(response, 404, 'NOT_FOUND'));
  const { client } = createEdgeClient(server.url, { onRequest: () => ky(other.url) });
  await expect(client.version.get()).rejects.toMatchObject({ name: 'HTTPError' });
  expect(server.seen).toEqual([]);
});

test('a request that is sent again has the headers that the client gives it now', async () => {
  await using server = await scriptedServer((_seen, response) =>
    server.seen.length === 1 ? response.destroy() : json(response, 200, version),
  );
  const headers = () => ({ 'x-count': String(server.seen.length), accept: 'text/html' });
  await createEdgeClient(server.url, { headers }).client.version.get();
  expect(server.seen.map((seen) => [seen.headers['x-count'], seen.headers.accept])).toEqual([
    ['0', 'application/json'],
    ['1', 'application/json'],
  ]);
});

test('hooks get neither the token nor the JWTs of the client, and cannot send a request elsewhere', async () => {
  const requests: EdgeRequest[] = [];
  await using controller = await scriptedController((_seen, response) => json(response, 200, { data: {}, meta: {} }));
  const edge = createEdgeClient(controller.url, {
    secondaryToken: { getToken: () => 'eyJhbGciOiJub25lIn0.eyJleHAiOjk5OTk5OTk5OTl9.c2ln' },
    onRequest: (request) => {
      requests.push(request);
      Object.assign(request, { url: 'http://127.0.0.1:9/', method: 'DELETE' });
      return new Request('http://127.0.0.1:9/');
    },
    onResponse: (_request, response) => response.text(),
  });
  await edge.signIn.password(alice);
  await edge.management.identities.get('id');
  expect(controller.seen[1]?.headers).toMatchObject({ 'svc-session': 'token-1' });
  expect(controller.seen[1]?.headers.authorization).toMatch(/^Bearer eyJ/);
  expect(controller.seen.map(({ method }) => method)).toEqual(['POST', 'GET']);
  const visible = requests.flatMap(({ headers }) => [...headers.values()]).join(' ');
  expect(visible).not.toMatch(/token-1|eyJ/);
});

/** Every operation that carries a secret, with the secrets that it carries. */
const secrets = ['pass-word-1', 'pass-word-2', 'to-ken-1', '918273', 'eyJhIjoxfQ.eyJzIjoxfQ.c2ln', 'token-1'];
const [password = '', other = '', token = '', code = '', jwt = ''] = secrets;

test('the logger gets each response, each repetition and each failure, and never a secret', async () => {
  const lines: unknown[] = [];
  const log = (level: string) => (message: unknown) => void lines.push([level, message]);
  const logger = { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
  await using controller = await scriptedController((seen, response) => {
    if (seen.path.endsWith('/lost')) return response.destroy();
    return refuse(response, 503, `quoted ${seen.body} ${seen.path}`, { 'retry-after': '0' });
  });
  const edge = createEdgeClient(controller.url, { logger, retries: 1 });
  await edge.signIn.password({ username: 'alice', password });
  const { client, management } = edge;
  const authenticator = { username: 'alice', password: other, currentPassword: password };
  await Promise.allSettled([
    management.identities.get('lost'),
    edge.signIn.extJwt({ token: jwt }),
    edge.answer.totp(code),
    client.enroll.enroll({ method: 'ott', token }, { password }),
    client.enroll.token({ authorization: `Bearer ${jwt}` }),
    client.currentIdentityAuthenticators.update('id', authenticator),
    client.currentIdentityMfa.verify({ code }),
    client.currentIdentityMfa.delete({ 'mfa-validation-code': code }),
    client.currentIdentityMfa.createRecoveryCodes({ code }),
    management.externalJwtSigners.test('id', { token: jwt }),
    edge.mfa.recoveryCodes(code),
  ]);
  const text = inspect(lines, { depth: 9 });
  for (const secret of secrets) expect(text).not.toContain(secret);
  expect(text).toMatch(/'debug',\s+'POST http:\S+\/authenticate: 200 after \d+ ms'/);
  expect(text).toMatch(/'warn',\s+'GET http:\S+\/lost: .*sent again after \d+ ms'/);
  expect(text).toMatch(/'error',\s+'GET http:\S+\/lost: /);
});

test('a logger that throws does not affect the call', async () => {
  await using server = await scriptedServer((_seen, response) => json(response, 200, version));
  const fail = () => {
    throw new Error('disk full');
  };
  const logger = { debug: fail, info: fail, warn: fail, error: fail };
  expect(await createEdgeClient(server.url, { logger }).client.version.get()).toEqual({ version: '1' });
});

const ownTrace = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-00`;

test.each([
  [true, /^00-[\da-f]{32}-[\da-f]{16}-01$/],
  [() => ownTrace, /^00-a{32}-[\da-f]{16}-00$/],
])('traceparent keeps its trace when a request is sent again, with a new span', async (traceparent, pattern) => {
  await using server = await scriptedServer((_seen, response) =>
    server.seen.length === 1
      ? refuse(response, 503, 'STORE_UNAVAILABLE', { 'retry-after': '0' })
      : json(response, 200, version),
  );
  const { client } = createEdgeClient(server.url, { traceparent });
  await client.version.get();
  await client.version.get();
  const parents = server.seen.map(({ headers }) => String(headers.traceparent));
  for (const parent of parents) expect(parent).toMatch(pattern);
  const [first = '', second = '', third = ''] = parents;
  expect(second.slice(0, 35)).toBe(first.slice(0, 35));
  expect(second).not.toBe(first);
  if (traceparent === true) expect(third.slice(0, 35)).not.toBe(first.slice(0, 35));
  else expect([first, third]).toEqual([ownTrace, ownTrace]);
});

test('a value of traceparent that is no trace context rejects the call', async () => {
  const options: EdgeClientOptions = { traceparent: () => 'x\r\ny' };
  await expect(createEdgeClient('http://127.0.0.1:1', options).client.version.get()).rejects.toThrow(TypeError);
});
