import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { clientApi, managementApi } from '@edge-controller/shared-types';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Settings } from '../core/config/schema.ts';
import { createLogger } from '../core/log/create-logger.ts';
import type { Dependencies, Handlers } from '../dependencies.ts';
import { createInfoHandlers } from '../documents/info/info-handlers.ts';
import { caBundle } from '../pki/ca-bundle.ts';
import { openPki } from '../pki/pki.ts';
import type { ActiveSession } from '../sessions/active-session.ts';
import { createMemoryAttemptLimiter } from '../storage/attempt-limits/memory-attempt-limiter.ts';
import { createHttpApp } from './app.ts';
import type { Listener } from './listen.ts';
import { listen } from './listen.ts';
import { surface } from './operations/mounted.ts';

let listener: Listener;
let dir: string;
let ca: string;
let release = () => {};
const settings = {
  sessionHeaders: ['svc-session', 'zt-session'],
  corsOrigins: ['https://app.example.com'],
  trustedProxies: ['127.0.0.0/8', '::1'],
} as unknown as Settings;
const session = { principal: { id: 'someone' } } as ActiveSession;

/** The operations that are called here. */
const tree = {
  currentApiSession: {
    ...managementApi.currentApiSession,
    // Any live session may call it; here one may not.
    get: { ...managementApi.currentApiSession.get, access: 'full' },
  },
  enroll: { enroll: clientApi.enroll.enroll, updb: clientApi.enroll.updb },
  ...{ specs: clientApi.specs, version: clientApi.version, wellKnown: clientApi.wellKnown },
  authentication: { authenticate: clientApi.authentication.authenticate },
} as const;

async function start(timeLimit = 10_000): Promise<Listener> {
  const { current: pki } = await openPki({ dir: join(dir, 'pki'), names: [], clock: Date.now });
  ca = pki.serverPath.at(-1) ?? '';
  const log = createLogger({ level: 'silent' });
  const handlers = {
    ...createInfoHandlers({
      browserAddress: () => 'localhost:2',
      ...{ apiAddress: () => 'localhost:1', caCertificates: () => caBundle(pki), networkJwt: async () => 'jwt' },
      runtimeVersion: process.version,
    }),
    authentication: {
      authenticate: async (call: { clientAddress: string }) => ({ ipAddress: call.clientAddress, extra: 1 }),
    },
    currentApiSession: {
      get: async () => ({ id: 'id', token: 't', secret: 'cut', _links: {} }),
      delete: () =>
        new Promise<void>((resolve) => {
          release = resolve;
        }),
    },
    enroll: {
      enroll: async () => {
        throw new Error('secret detail');
      },
      updb: async () => {},
    },
  } as unknown as Handlers<typeof tree>;
  const api = surface(tree, handlers);
  const { app } = createHttpApp({
    settings,
    log,
    timeLimit,
    apis: { client: api, management: api, fabric: api },
    attempts: createMemoryAttemptLimiter({ rate: 1, burst: 3 }),
    dependencies: { clock: Date.now, settings } as unknown as Dependencies,
    resolveSession: async ({ sessionToken: token }) =>
      token === 'good' || token === 'weak' ? { ...session, token } : null,
    allows: (_operation, { token }) => token !== 'weak',
  });
  const tls = { key: pki.serverKeyPem, cert: pki.serverCertChainPem };
  return listen({
    handle: app.callback(),
    tls,
    host: '127.0.0.1',
    port: 0,
    log,
    onRefused: () => undefined,
    headersTimeout: 1_000,
    requestTimeout: 2_000,
  });
}
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'http-'));
  listener = await start();
});
afterAll(async () => {
  await listener.close(100);
  await rm(dir, { recursive: true, force: true });
});

interface Sent {
  method?: string;
  headers?: Record<string, string | string[]>;
  body?: string;
  to?: Listener;
  agent?: Agent;
}
// biome-ignore lint/suspicious/noExplicitAny: tests read members of answers that are not what they should be
type WireBody = any;

function call(path: string, { method = 'GET', headers = {}, body, to = listener, agent }: Sent = {}) {
  return new Promise<{ status: number; headers: Record<string, string>; text: string; json: WireBody }>(
    (resolve, reject) => {
      const sent = httpsRequest(
        { host: 'localhost', port: to.port, family: 4, ca, path, method, headers, agent: agent ?? false },
        async (response) => {
          let text = '';
          for await (const chunk of response) text += chunk;
          const json = text.startsWith('{') ? JSON.parse(text) : null;
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers as Record<string, string>,
            text,
            json,
          });
        },
      );
      sent.on('error', reject).end(body);
    },
  );
}
function raw(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: 'localhost', port: listener.port, ca }, () => socket.write(text));
    let answer = '';
    socket
      .on('data', (chunk) => {
        answer += chunk;
      })
      .on('close', () => resolve(answer))
      .on('error', reject);
  });
}
const good = { 'svc-session': 'good' };
const json = { 'content-type': 'application/json' };
const from = (address: string) => ({ ...json, 'x-forwarded-for': address });

test('accepts every form of a path, and no other', async () => {
  for (const path of ['/', '/version', '/version/', '/edge/client/v1/.//version', '/edge/v1', '/edge/management/v1/']) {
    const { status, headers } = await call(path);
    expect([path, status, headers['content-type']]).toEqual([path, 200, 'application/json']);
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers.server).toBeUndefined();
  }
  for (const path of ['/Version', '/%76ersion', '/edge/client/v1x', '/specs/%zz', '//edge/client/v1', '/nothing']) {
    const { status, json: body } = await call(path);
    expect([path, status, body.error.code, body.meta.apiVersion]).toEqual([path, 404, 'NOT_FOUND', '0.0.1']);
  }
  expect((await call('/specs/edge%2dclient')).json.data.id).toBe('edge-client');
  expect((await call('/specs')).json.meta).toEqual({});
  expect((await call('/version', { method: 'HEAD' })).status).toBe(405);
  expect((await call('/version', { method: 'POST' })).json.error.code).toBe('METHOD_NOT_ALLOWED');
});

test('asks for a session before it reads anything but path and verb', async () => {
  const none = await call('/current-api-session', { headers: { accept: 'text/html' } });
  expect(none.status).toBe(401);
  expect(none.headers['www-authenticate']).toBe(
    'svc-session realm="svc-session" error="missing" error_description="no matching token was provided",Bearer realm="openziti-oidc" error="missing" error_description="no matching token was provided"',
  );
  expect(none.json.error.cause).toEqual({ code: 'UNHANDLED', message: 'unauthenticated for invalid credentials' });
  for (const token of ['bad', 'g'.repeat(129)]) {
    const invalid = await call('/current-api-session', { headers: { 'zt-session': token } });
    expect([invalid.status, invalid.json.error.cause]).toEqual([401, undefined]);
    expect(invalid.headers['www-authenticate']).toContain('error="invalid"');
  }
  const weak = await call('/current-api-session', { headers: { 'svc-session': 'weak' } });
  expect([weak.status, weak.headers['www-authenticate']]).toEqual([401, undefined]);
  const headers = { 'svc-session': 'weak', accept: 'text/html' };
  expect((await call('/current-api-session', { headers })).status).toBe(406);
  const first = await call('/current-api-session', { headers: { 'svc-session': ['good', 'bad'] } });
  expect(first.json).toEqual({ data: { id: 'id', token: 't', _links: {} }, meta: {} });
});

test('refuses bodies that are too large, of another type, unreadable or invalid', async () => {
  const post = (path: string, body: string, headers: Record<string, string> = from('10.0.0.1')) =>
    call(path, {
      method: 'POST',
      headers: { ...headers, 'x-forwarded-for': `${String(Math.random()).replace('0.', '2001:').slice(0, 9)}::1` },
      body,
    });
  const chunked = { ...json, 'transfer-encoding': 'chunked' };
  for (const headers of [json, chunked]) {
    const large = await post('/authenticate?method=password', ' '.repeat(1_100_000), headers);
    expect([large.status, large.json.error.code]).toEqual([413, 'REQUEST_ENTITY_TOO_LARGE']);
  }
  expect((await post('/authenticate?method=password', '{}', {})).status).toBe(415);
  expect((await post('/authenticate?method=password', '')).status).toBe(200);
  expect((await post('/authenticate?method=password', 'null')).status).toBe(200);
  for (const body of ['{', '[]', '{"__proto__":{}}', `{"a":${'['.repeat(40)}${']'.repeat(40)}}`, '{"username":1}']) {
    const refused = await post('/authenticate?method=password', body);
    expect([body, refused.json.error.code, refused.status]).toEqual([body, 'COULD_NOT_PARSE_BODY', 400]);
  }
  const short = await post('/authenticate?method=password', '{"username":"a","password":"b"}');
  expect(short.json.error.cause.field).toBe('password');
  expect(short.json.error.cause.value).toBeUndefined();
  expect((await post('/authenticate?method=password', '{"envInfo":{"arch":null}}')).status).toBe(200);
  expect((await post('/authenticate', '{}')).json.error.cause).toMatchObject({
    field: 'method',
    reason: 'method in query is required',
  });
  expect((await post('/authenticate?method=foo', '{}')).json.error.cause.field).toBe('method');
  const broken = await post('/enroll', '{}');
  expect([broken.status, broken.text.includes('secret')]).toEqual([500, false]);
});

test('limits attempts by client address behind trusted proxies', async () => {
  const statuses: number[] = [];
  for (let attempt = 0; attempt < 4; attempt += 1) {
    const headers = from('198.51.100.7, ::ffff:203.0.113.9, 127.0.0.2');
    const { status, json: body, headers: got } = await call('/authenticate?method=cert', { method: 'POST', headers });
    statuses.push(status);
    if (status === 200) expect(body.data).toEqual({ ipAddress: '203.0.113.9' });
    else expect(got['retry-after']).toBe('1');
  }
  expect(statuses).toEqual([200, 200, 200, 429]);
});

test('answers other origins by the exact list', async () => {
  const preflight = (origin: string) =>
    call('/version', {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'GET', 'access-control-request-headers': 'svc-session' },
    });
  const granted = await preflight('https://app.example.com');
  expect([granted.status, granted.headers['access-control-max-age'], granted.headers.vary]).toEqual([
    204,
    '600',
    'Origin',
  ]);
  const allowed = String(granted.headers['access-control-allow-headers']).split(', ');
  expect(allowed).toEqual(expect.arrayContaining(['svc-session', 'mfa-validation-code', 'traceparent', 'tracestate']));
  for (const origin of ['null', 'https://evil.example.com']) {
    const refused = await preflight(origin);
    expect([refused.status, refused.headers['access-control-allow-origin']]).toEqual([403, undefined]);
  }
  const noMethod = await call('/version', { method: 'OPTIONS', headers: { origin: 'https://app.example.com' } });
  expect(noMethod.status).toBe(403);
});

test('responds to OPTIONS without an origin with 200 and nothing, on every path', async () => {
  for (const path of ['/version', '/edge/management/v1/current-api-session', '/nothing', '*']) {
    const { status, text, headers } = await call(path, { method: 'OPTIONS' });
    expect([path, status, text, headers['content-type']]).toEqual([path, 200, '', undefined]);
    expect([headers['content-length'], headers['x-content-type-options']]).toEqual(['0', 'nosniff']);
  }
  const unread = await raw('OPTIONS / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n');
  expect(unread).toMatch(/^HTTP\/1\.1 200 [\s\S]*Connection: close/i);
});

test('answers what is no HTTP in the envelope', async () => {
  const both = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n';
  expect(await raw(both)).toMatch(/^HTTP\/1.1 400 [\s\S]*"error":\{"code"/);
  expect(await raw(`GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`)).toMatch(
    /^HTTP\/1.1 431 [\s\S]*"error"/,
  );
  expect(await raw('GET / HTTP/1.1\r\nConnection: close\r\n\r\n')).toMatch(/^HTTP\/1.1 400 [\s\S]*"error"/);
  expect(await raw('GET / HTTP/1.1\r\nHost:')).toMatch(/^HTTP\/1.1 408 [\s\S]*"error"/);
});

test('serves the CA bundle without a session', async () => {
  const bundle = await call('/edge/management/v1/.well-known/est/cacerts', { headers: { accept: 'application/json' } });
  expect([bundle.status, bundle.headers['content-type'], bundle.headers['content-transfer-encoding']]).toEqual([
    200,
    'application/pkcs7-mime',
    'base64',
  ]);
  expect((await call('/.well-known/est/cacerts', { headers: { accept: 'text/html' } })).status).toBe(406);
});

test('answers 503 when a handler takes too long', async () => {
  const slow = await start(50);
  const { status, json: body } = await call('/current-api-session', { method: 'DELETE', headers: good, to: slow });
  expect([status, body.error.code]).toEqual([503, 'TIMEOUT']);
  release();
  await slow.close(100);
});

test('answers what is under way while it closes, then takes no more', async () => {
  const other = await start();
  const agent = new Agent({ keepAlive: true, maxSockets: 2 });
  await call('/version', { to: other, agent });
  const pending = call('/current-api-session', { method: 'DELETE', headers: good, to: other, agent });
  await call('/version', { to: other, agent });
  const closed = other.close(5_000);
  setTimeout(release, 100);
  const { status, headers } = await pending;
  expect([status, headers.connection]).toEqual([200, 'close']);
  const startedAt = Date.now();
  await closed;
  expect(Date.now() - startedAt).toBeLessThan(2_000);
  await expect(call('/version', { to: other })).rejects.toThrow();
  agent.destroy();
});
