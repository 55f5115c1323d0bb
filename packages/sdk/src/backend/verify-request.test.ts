import type { IncomingHttpHeaders } from 'node:http';
import { expect, test } from 'vitest';
import { scriptedController } from '../../test/support/scripted-server.ts';
import { createSessionVerifier } from './create-session-verifier.ts';
import type { EdgeSessionOptions } from './session-verifier.ts';
import type { PartialVerifiedSession, VerifiedSession } from './verified-session.ts';

async function start() {
  const controller = await scriptedController();
  controller.live.add('good');
  const time = { now: 1_000_000 };
  const verifier = createSessionVerifier({ controller: controller.url, clock: () => time.now });
  return Object.assign(controller, { ...verifier, time });
}

const requestOf = (headers: Record<string, string>) => new Request('https://backend.example/hello', { headers });

test('gives the session of a request, and what the response needs', async () => {
  await using backend = await start();
  const { verifyRequest, time } = backend;
  const { session, headers, response } = await verifyRequest(requestOf({ 'svc-session': 'good' }));
  expect(response).toBeUndefined();
  expect(session).toMatchObject({ state: 'full', identity: { name: 'alice' } });
  expect(headers).toEqual({
    vary: 'svc-session',
    'svc-session-expires-in': '1800',
    'access-control-expose-headers': 'svc-session-expires-in',
  });
  time.now += 1;
  expect(await verifyRequest(requestOf({ 'svc-session': 'good' }))).toMatchObject({
    headers: { 'svc-session-expires-in': '1799' },
  });
});

test('reads the headers of Node, too', async () => {
  await using backend = await start();
  const requests: { headers: IncomingHttpHeaders; status?: number }[] = [
    { headers: { 'svc-session': 'good' } },
    { headers: { 'svc-session': ['good'], get: 'a header' } },
    { headers: {}, status: 401 },
    { headers: { 'svc-session': 'good, good' }, status: 401 },
    { headers: { 'svc-session': ['good', 'good'] }, status: 401 },
  ];
  for (const { headers, status } of requests) {
    expect((await backend.verifyRequest({ headers })).response?.status).toBe(status);
  }
});

test('refuses with a response that an application can send as it is', async () => {
  await using backend = await start();
  for (const [headers, error] of [
    [{}, 'missing'],
    [{ 'svc-session': 'unknown' }, 'invalid'],
  ] as const) {
    const { response, session, headers: added } = await backend.verifyRequest(requestOf(headers));
    expect([session, added]).toEqual([undefined, undefined]);
    expect(response?.status).toBe(401);
    expect(Object.fromEntries(response?.headers ?? [])).toEqual({
      'cache-control': 'no-store',
      'content-type': 'application/json',
      vary: 'svc-session',
      'www-authenticate': expect.stringContaining(`error="${error}"`),
    });
    expect(await response?.json()).toMatchObject({ error: { code: 'UNAUTHORIZED' }, meta: {} });
  }
});

test('refuses a partial session unless the options allow it, and says so in the type', async () => {
  await using backend = await start();
  backend.settings.detail = { authQueries: [{ typeId: 'MFA' }] };
  const request = requestOf({ 'svc-session': 'good' });
  const strict = await backend.verifyRequest(request);
  const full: VerifiedSession | undefined = strict.session;
  expect([full, strict.response?.headers.get('www-authenticate')]).toEqual([
    undefined,
    expect.stringContaining('error="partial"'),
  ]);
  const { session } = await backend.verifyRequest(request, { allowPartial: true });
  // @ts-expect-error: it may be partial
  const wrong: VerifiedSession | undefined = session;
  const right: VerifiedSession | PartialVerifiedSession | undefined = session;
  expect([wrong?.state, right?.state]).toEqual(['partial', 'partial']);
});

test('with `optional`, a request without a token has no session, and says so in the type', async () => {
  await using backend = await start();
  const { session, headers, response } = await backend.verifyRequest(requestOf({}), { optional: true });
  // @ts-expect-error: it may be null
  const wrong: VerifiedSession | undefined = session;
  expect([wrong, headers, response]).toEqual([null, { vary: 'svc-session' }, undefined]);
  const options: EdgeSessionOptions = { optional: true };
  const refused = await backend.verifyRequest(requestOf({ 'svc-session': 'unknown' }), options);
  // @ts-expect-error: nobody knows what the options are
  const unknown: VerifiedSession | undefined = refused.session;
  expect(unknown).toBeUndefined();
  expect(refused.response?.status).toBe(401);
});

test('responds with 503 while the controller cannot be asked', async () => {
  const { verifyRequest } = createSessionVerifier({ controller: 'http://127.0.0.1:1' });
  const errors: [string, string][] = [];
  const { response } = await verifyRequest(requestOf({ 'svc-session': 'good' }), {
    onError: (error, requestId) => errors.push([error.name, requestId]),
  });
  expect(response?.status).toBe(503);
  expect(Object.fromEntries(response?.headers ?? [])).toEqual({
    'cache-control': 'no-store',
    'content-type': 'application/json',
    'retry-after': '1',
    vary: 'svc-session',
  });
  expect(await response?.json()).toMatchObject({
    error: { code: 'CONTROLLER_UNAVAILABLE', requestId: errors[0]?.[1] },
  });
  expect(errors[0]?.[0]).toBe('EdgeNetworkError');
});

test('rejects with an error that is not of the controller', async () => {
  const { verifyRequest } = createSessionVerifier({ controller: 'https://localhost', caFile: 'no-such-file.pem' });
  await expect(verifyRequest(requestOf({ 'svc-session': 'good' }))).rejects.toMatchObject({ code: 'ENOENT' });
});
