import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import type { Operation } from '@edge-controller/shared-types';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Wire } from '../../../test/support/request.ts';
import { createWire } from '../../../test/support/request.ts';
import type { ApiRequest } from '../../core/call.ts';
import type { Settings } from '../../core/config/schema.ts';
import { createLogger } from '../../core/log/create-logger.ts';
import type { Dependencies } from '../../dependencies.ts';
import { openPki } from '../../pki/pki.ts';
import type { ActiveSession } from '../../sessions/active-session.ts';
import { createMemoryAttemptLimiter } from '../../storage/attempt-limits/memory-attempt-limiter.ts';
import { createHttpApp } from '../app.ts';
import type { Listener } from '../listen.ts';
import { listen } from '../listen.ts';
import type { Surface } from './mounted.ts';
import { mountApi } from './mounted.ts';

const common = { access: 'anyone', summary: '' } as const;
const echoed = z.object({ body: z.any() });

const tree = {
  echo: {
    object: {
      ...common,
      method: 'POST',
      path: '/echo/object',
      result: 'detail',
      body: z.object({ a: z.string() }),
      response: echoed,
    },
    array: {
      ...common,
      method: 'POST',
      path: '/echo/array',
      result: 'detail',
      body: z.array(z.object({ a: z.string() })),
      response: echoed,
    },
    text: { ...common, method: 'POST', path: '/echo/text', result: 'detail', body: z.string(), response: echoed },
    pem: {
      ...{ ...common, method: 'POST', path: '/echo/pem', result: 'detail', response: echoed, bodyLimit: 65_536 },
      ...{ body: z.object({ clientCsr: z.string().optional() }), bodyOptional: true, textMember: 'clientCsr' },
      consumes: ['application/json', 'application/x-pem-file', 'text/plain'],
    },
    query: {
      ...{ ...common, method: 'GET', path: '/echo/query', result: 'detail', response: echoed },
      query: z.object({
        role: z.array(z.string()).optional(),
        filter: z.string().optional(),
        last: z.string().optional(),
      }),
    },
    caller: { ...common, method: 'GET', path: '/echo/caller', result: 'detail', response: echoed },
    created: {
      ...common,
      method: 'POST',
      path: '/echo/created',
      result: 'created',
      body: z.object({}),
      response: echoed,
    },
    guarded: {
      ...common,
      method: 'POST',
      path: '/echo/guarded',
      access: 'partial',
      result: 'empty',
      body: z.object({}),
    },
  },
  documents: {
    spec: {
      ...common,
      method: 'GET',
      path: '/documents/spec',
      result: 'document',
      produces: ['text/yaml', 'application/json'],
    },
    image: { ...common, method: 'GET', path: '/documents/image', result: 'document', produces: ['image/png'] },
    jwt: { ...common, method: 'GET', path: '/documents/jwt', result: 'document', produces: ['application/jwt'] },
  },
} as const satisfies Record<string, Record<string, Operation>>;

type EchoInput = { body?: unknown; query?: unknown };
const echo = async (_call: ApiRequest, { body, query }: EchoInput) => ({ body: body ?? query, secret: 'never sent' });
const caller = async ({ credentials, clientAddress }: ApiRequest) => ({
  body: { ...credentials, certificates: credentials.certificates, clientAddress },
});
const handlers = {
  echo: {
    ...{ object: echo, array: echo, text: echo, pem: echo, query: echo, created: echo, caller },
    guarded: async () => {},
  },
  documents: {
    spec: async ({ responseType }: ApiRequest) =>
      responseType === 'text/yaml' ? 'swagger: "2.0"\n' : '{"swagger":"2.0"}',
    image: async () => new Uint8Array([0x89, 0x50, 0x4e, 0x47]),
    jwt: async () => 'a.b.c',
  },
} as unknown as Surface['handlers'];

let listener: Listener;
let dir: string;
let ca: string;
let wire: Wire;
let lookUps = 0;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'operations-'));
  const { current: pki } = await openPki({ dir: join(dir, 'pki'), names: [], clock: Date.now });
  ca = pki.serverPath.at(-1) ?? '';
  const log = createLogger({ level: 'silent' });
  const settings = {
    sessionHeaders: ['svc-session'],
    docsEnabled: true,
    corsOrigins: [],
    trustedProxies: ['127.0.0.0/8', '10.0.0.0/8', '2001:db8::/32'],
  } as unknown as Settings;
  const api = { tree, handlers };
  const { app } = createHttpApp({
    ...{ settings, log, dependencies: {} as Dependencies, apis: { client: api, management: api, fabric: api } },
    attempts: createMemoryAttemptLimiter({ rate: 0, burst: 1 }),
    async resolveSession({ sessionToken }) {
      lookUps += 1;
      return sessionToken === 'good' ? ({ principal: { id: 'someone' } } as ActiveSession) : null;
    },
    allows: () => true,
  });
  const tls = { key: pki.serverKeyPem, cert: pki.serverCertChainPem };
  listener = await listen({ handle: app.callback(), tls, host: '127.0.0.1', port: 0, log, onRefused: () => undefined });
  const caFile = join(dir, 'ca.pem');
  writeFileSync(caFile, ca);
  wire = createWire(`https://localhost:${listener.port}`, caFile);
});
afterAll(async () => {
  await listener.close(100);
  rmSync(dir, { recursive: true, force: true });
});

const as = (type: string) => ({ 'content-type': type });

describe('bodies', () => {
  it('are JSON objects, JSON arrays or text, as the operation says', async () => {
    const object = await wire('POST', '/echo/object', { body: { a: 'x', b: 1 } });
    expect(object.body).toEqual({ data: { body: { a: 'x' } }, meta: {} });
    const array = await wire('POST', '/echo/array', { body: [{ a: 'x' }, { a: 'y', b: 1 }] });
    expect(array.body.data.body).toEqual([{ a: 'x' }, { a: 'y' }]);
    const text = await wire('POST', '/echo/text', { raw: 'some text\n', headers: as('Text/Plain; charset=utf-8') });
    expect(text.body.data.body).toBe('some text\n');
    for (const [path, raw] of [
      ['/echo/object', '[]'],
      ['/echo/array', '{}'],
      ['/echo/array', '"text"'],
      ['/echo/object', '7'],
    ] as const) {
      const { status, body } = await wire('POST', path, { raw });
      expect([path, status, body.error.code]).toEqual([path, 400, 'COULD_NOT_PARSE_BODY']);
    }
    const wrong = await wire('POST', '/echo/array', { body: [{ a: 'x' }, {}] });
    expect([wrong.status, wrong.body.error.cause.field]).toEqual([400, '1.a']);
  });

  it('may be one member of the JSON object, sent as text or PEM', async () => {
    for (const type of ['application/x-pem-file', 'text/plain']) {
      const { body } = await wire('POST', '/echo/pem', { raw: 'a signing request', headers: as(type) });
      expect([type, body.data.body]).toEqual([type, { clientCsr: 'a signing request' }]);
    }
    expect((await wire('POST', '/echo/pem', { body: { clientCsr: 'b' } })).body.data.body).toEqual({ clientCsr: 'b' });
    expect((await wire('POST', '/echo/pem', { raw: '', headers: as('text/plain') })).body.data.body).toEqual({});
    expect((await wire('POST', '/echo/pem')).body.data.body).toEqual({});
    const other = await wire('POST', '/echo/pem', { raw: 'x', headers: as('application/pkcs7') });
    expect([other.status, other.body.error.cause.field]).toEqual([415, 'Content-Type']);
    expect((await wire('POST', '/echo/text', { raw: '{}', headers: as('application/json') })).status).toBe(415);
  });

  it('take 16 KiB from anyone, and as much as an operation says', async () => {
    const send = (path: string, length: number) =>
      wire('POST', path, { raw: 'x'.repeat(length), headers: as('text/plain') });
    expect((await send('/echo/text', 16_384)).status).toBe(200);
    expect((await send('/echo/text', 16_385)).status).toBe(413);
    expect((await send('/echo/pem', 65_536)).status).toBe(200);
    expect((await send('/echo/pem', 65_537)).status).toBe(413);
  });

  it('are refused while they are parsed: too deep, too many members, too many values', async () => {
    const deep = (levels: number) => `{"a":"x","b":${'['.repeat(levels)}${']'.repeat(levels)}}`;
    const many = (members: number) => `{"a":"x"${Array.from({ length: members }, (_, at) => `,"k${at}":1`).join('')}}`;
    expect((await wire('POST', '/echo/object', { raw: deep(31) })).status).toBe(200);
    expect((await wire('POST', '/echo/object', { raw: many(999) })).status).toBe(200);
    for (const [raw, message] of [
      [deep(32), 'deeper than 32 levels'],
      [many(1_000), 'more than 1000 members'],
      [`{"a":"x","b":[${'1,'.repeat(8_000)}1]}`, undefined],
      ['['.repeat(16_000), 'deeper than 32 levels'],
      [`{"a":"x","b":"${'\\"'.repeat(4_000)}${'[{'.repeat(40)}"}`, undefined],
    ] as const) {
      const { status, body } = await wire('POST', '/echo/object', { raw });
      expect([status, body.error?.cause.message]).toEqual(
        message ? [400, expect.stringContaining(message)] : [200, undefined],
      );
    }
  });

  it('are not read before the session is known to be live', async () => {
    const before = lookUps;
    const text = await new Promise<string>((resolve, reject) => {
      let received = '';
      const socket = connectTls({ host: 'localhost', port: listener.port, ca }, () => {
        socket.write(
          `POST /echo/guarded HTTP/1.1\r\nHost: localhost\r\nsvc-session: ${randomUUID()}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
        );
      });
      socket
        .on('data', (chunk) => (received += chunk))
        .on('error', reject)
        .on('close', () => resolve(received));
    });
    expect(text).toMatch(/^HTTP\/1.1 401 [\s\S]*Connection: close[\s\S]*"UNAUTHORIZED"/);
    expect(lookUps).toBe(before + 1);
    expect((await wire('POST', '/echo/guarded', { token: 'good', raw: 'not JSON' })).status).toBe(400);
  });
});

describe('responses', () => {
  it('have the media type that Accept chooses', async () => {
    const get = async (path: string, accept?: string) => {
      const response = await wire('GET', path, accept === undefined ? {} : { headers: { accept } });
      return [response.status, response.headers['content-type'], response.text.slice(0, 20)];
    };
    expect(await get('/documents/spec')).toEqual([200, 'text/yaml', 'swagger: "2.0"\n']);
    expect(await get('/documents/spec', '*/*')).toEqual([200, 'text/yaml', 'swagger: "2.0"\n']);
    expect(await get('/documents/spec', 'application/json')).toEqual([200, 'application/json', '{"swagger":"2.0"}']);
    expect(await get('/documents/spec', 'text/yaml;q=0.1, application/json')).toEqual([
      ...[200, 'application/json', '{"swagger":"2.0"}'],
    ]);
    expect(await get('/documents/jwt', 'application/json')).toEqual([200, 'application/jwt', 'a.b.c']);
    expect((await get('/documents/spec', 'text/html'))[0]).toBe(406);
    expect((await get('/documents/spec', 'text/yaml;q=0'))[0]).toBe(406);
    const image = await wire('GET', '/documents/image', { headers: { accept: 'image/*' } });
    expect([image.headers['content-type'], image.bytes]).toEqual(['image/png', Buffer.from([0x89, 0x50, 0x4e, 0x47])]);
  });

  it('of a create with detail are 201', async () => {
    const { status, body } = await wire('POST', '/echo/created', { body: {} });
    expect([status, body]).toEqual([201, { data: { body: {} }, meta: {} }]);
  });
});

it('a handler is given the credentials as they were presented', async () => {
  const headers = { 'svc-session': 'not even a session', authorization: 'Bearer a.b.c' };
  const { body } = await wire('GET', '/echo/caller', { headers });
  expect(body.data.body).toMatchObject({
    sessionToken: 'not even a session',
    bearerTokens: ['a.b.c'],
    certificates: [],
  });
});

it.each([
  ['203.0.113.9', '203.0.113.9'],
  ['198.51.100.1, 203.0.113.9, 10.0.0.2', '203.0.113.9'],
  // Proxies that add the port are trusted, too.
  ['203.0.113.9, 10.0.0.2:443', '203.0.113.9'],
  ['203.0.113.9:4711, [2001:db8::1]:443, 10.1.1.1', '203.0.113.9'],
  ['::ffff:203.0.113.9, ::ffff:10.0.0.2', '203.0.113.9'],
  ['10.0.0.3, 10.0.0.2', '10.0.0.3'],
  // What a client writes in front of an entry that is no address is not believed.
  ['203.0.113.9, unknown, 10.0.0.2', '10.0.0.2'],
  ['unknown', '127.0.0.1'],
  ['', '127.0.0.1'],
])('behind trusted proxies, "%s" comes from %s', async (forwarded, address) => {
  const { body } = await wire('GET', '/echo/caller', { headers: { 'x-forwarded-for': forwarded } });
  expect(body.data.body.clientAddress).toBe(address);
});

it('a query parameter of a list may be repeated; of others the last counts, of filters the first', async () => {
  const { body } = await wire('GET', '/echo/query?role=a&filter=first&last=1&role=b&role=&filter=second&last=2');
  expect(body.data.body).toEqual({ role: ['a', 'b'], filter: 'first', last: '2' });
});

it('the target of a request may be a whole URL, and any other text is no path', async () => {
  const send = (target: string) =>
    new Promise<string>((resolve, reject) => {
      let received = '';
      const socket = connectTls({ host: 'localhost', port: listener.port, ca }, () => {
        socket.write(`GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
      });
      socket
        .on('data', (chunk) => (received += chunk))
        .on('error', reject)
        .on('close', () => resolve(received));
    });
  expect(await send('https://localhost:1280/echo/query?last=1')).toMatch(/^HTTP\/1.1 200 [\s\S]*"last":"1"/);
  expect(await send('http://a:99999999/echo/query')).toMatch(/^HTTP\/1.1 200 /);
  expect(await send('https://localhost/edge/docs?api=client')).toMatch(/^HTTP\/1.1 200 [\s\S]*text\/html/);
  for (const target of [
    'https://localhost',
    '*',
    'echo',
    'ftp://localhost/echo/query',
    'https://[::1/echo',
    '/echo/%',
  ]) {
    expect(await send(target), target).toMatch(/^HTTP\/1.1 4\d\d [\s\S]*"error":\{"code"/);
  }
});

it('a client that sends no TLS gets nothing and harms nothing', async () => {
  await new Promise<void>((resolve) => {
    const socket = connect(listener.port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\n\r\n'));
    socket.on('close', () => resolve()).on('error', () => {});
  });
  expect((await wire('GET', '/echo/query')).status).toBe(200);
});

describe('an operation is not mounted', () => {
  const mount = (operation: Partial<Operation>, given: unknown = async () => {}) => {
    const whole = { ...common, method: 'GET', path: '/widgets', result: 'detail', response: z.object({}) };
    const complete = { ...whole, ...operation } as Operation;
    return () => mountApi({ tree: { widgets: { list: complete } }, handlers: { widgets: { list: given as never } } });
  };

  it('without a handler, a permission, a response schema or a type of its document', () => {
    expect(mount({}, undefined)).not.toThrow();
    expect(mount({}, null)).toThrow('widgets.list has no handler');
    expect(mount({ access: 'admin' })).toThrow('widgets.list is for administrators and names no permission');
    expect(mount({ access: 'admin', permission: 'widget.read' })).not.toThrow();
    expect(mount({ response: undefined as never })).toThrow('widgets.list has no response schema');
    expect(mount({ result: 'empty', response: undefined as never })).not.toThrow();
    expect(mount({ result: 'document' })).toThrow('widgets.list names no type of its document');
  });

  it.each([
    ['union', z.union([z.string(), z.object({})])],
    ['union', z.discriminatedUnion('a', [z.object({ a: z.literal(1) }), z.object({ a: z.literal(2) })])],
    ['intersection', z.intersection(z.object({}), z.object({}))],
    ['lazy', z.lazy(() => z.object({}))],
    ['pipe', z.object({}).transform((value) => value)],
    ['tuple', z.tuple([z.string()])],
    ['map', z.map(z.string(), z.string())],
    ['date', z.date()],
    ['default', z.string().default('x')],
    ['readonly', z.object({}).readonly()],
    ['custom', z.custom<string>()],
    ['object', z.looseObject({})],
    ['object', z.object({}).catchall(z.string())],
  ])('with a response schema of the kind %s', (kind, schema) => {
    const response = z.object({ a: z.array(z.record(z.string(), schema.optional())) });
    expect(mount({ response })).toThrow(
      `widgets.list.a[]{}: a response schema of the kind "${kind}" cannot be stripped`,
    );
  });
});
