import { once } from 'node:events';
import { connect as connectPlain } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createLogger } from '../../src/index.ts';
import type { TestController } from '../support/controller.ts';
import { startController } from '../support/controller.ts';
import { readMetrics } from '../support/metrics.ts';

let server: TestController;
const lines: string[] = [];

beforeAll(async () => {
  const destination = { write: (line: string) => void lines.push(line) };
  server = await startController({ log: createLogger({ level: 'debug', destination }) });
});
afterAll(() => server[Symbol.asyncDispose]());

function open(ciphers: object = {}) {
  const port = Number(new URL(server.url).port);
  return connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...ciphers });
}

async function send(request: string): Promise<string> {
  const socket = open();
  socket.write(request);
  return textOf(socket);
}

function headersOf(response: string): Record<string, string> {
  const [, ...fields] = (response.split('\r\n\r\n', 1)[0] ?? '').split('\r\n');
  return Object.fromEntries(fields.map((field) => [field.split(': ')[0]?.toLowerCase(), field.split(': ')[1]]));
}

const written = () => lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);

const token = 'svc-session: 0f1e2d3c-secret';

describe('a response to a connection that sends no request', () => {
  it.each([
    ['a broken header', 400, `GET / HTTP/1.1\r\nHost: a\r\n${token}\r\nbro ken\r\n\r\n`],
    [
      'two lengths',
      400,
      `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['no host', 400, `GET / HTTP/1.1\r\nConnection: close\r\n\r\n`],
    ['long headers', 431, `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`],
  ])('has all security headers: %s', async (_what, status, request) => {
    const { headers } = await server.wire('GET', '/version');
    const response = await send(request);
    expect(response.split(' ')[1]).toBe(String(status));
    const sent = headersOf(response);
    for (const name of ['strict-transport-security', 'content-security-policy', 'x-content-type-options']) {
      expect(sent[name], name).toBe(headers[name]);
    }
    expect([sent['referrer-policy'], sent['cache-control']]).toEqual(['no-referrer', 'no-store']);
    expect(sent['content-security-policy']).toMatch(/base-uri 'none'.*frame-ancestors 'none'/);
  });

  it('has a line in the log that says why, without what was sent', async () => {
    lines.length = 0;
    await send(`GET / HTTP/1.1\r\nHost: a\r\n${token}\r\nbro ken\r\n\r\n`);
    const refused = written().find(({ level, msg }) => level === 20 && msg === 'connection refused');
    expect(refused).toMatchObject({ reason: 'HPE_INVALID_HEADER_TOKEN', address: '127.0.0.1' });
    expect(refused?.detail).toMatch(/^Parse Error/);
    expect(lines.join('')).not.toMatch(/secret|circular/);
  });
});

describe('what unauthenticated clients can cause at any rate', () => {
  const limited = { signInRate: 1, signInBurst: 2, operationsBind: '127.0.0.1:0' };
  const warnings = (text: string, msg: string) =>
    text.split('\n').flatMap((line) => (line.includes(msg) && line.includes('"level":40') ? [JSON.parse(line)] : []));

  it('has one warning at once, one with the number, events and metrics: broken HTTP, broken TLS and 429', async () => {
    let text = '';
    const destination = {
      write(line: string) {
        text += line;
      },
    };
    const noisy = await startController({ ...limited, log: createLogger({ level: 'warn', destination }) });
    const seen: string[] = [];
    noisy.controller.events.on('connection.refused', ({ protocol }) => void seen.push(protocol));
    noisy.controller.events.on('request.limited', ({ code }) => void seen.push(code));
    const target = { port: Number(new URL(noisy.url).port), host: '127.0.0.1' };
    const broken = async () => {
      const socket = connect({ ...target, rejectUnauthorized: false });
      socket.write('bro ken\r\n\r\n');
      await textOf(socket);
    };
    const plain = async () => {
      const socket = connectPlain(target);
      socket.write('GET / HTTP/1.1\r\n\r\n');
      await textOf(socket).catch(() => '');
    };
    const body = { username: 'nobody', password: 'wrong wrong' };
    const guess = () => noisy.wire('POST', '/edge/client/v1/authenticate?method=password', { body });
    for (let at = 0; at < 30; at++) await Promise.all([broken(), guess()]);
    await Promise.all([plain(), plain(), plain()]);
    await expect.poll(() => seen.filter((what) => what === 'tls').length).toBe(3);
    expect(seen.filter((what) => what === 'http')).toHaveLength(30);
    const refused = seen.filter((what) => what === 'RATE_LIMITED' || what.includes('TOO_MANY')).length;
    expect(refused).toBeGreaterThan(20);
    const metrics = await readMetrics(noisy.operationsUrl);
    expect(metrics.get('edge_connections_refused_total{protocol="http"}')).toBe(30);
    expect(metrics.get('edge_connections_refused_total{protocol="tls"}')).toBe(3);
    await noisy[Symbol.asyncDispose]();
    const connections = warnings(text, 'connection refused');
    expect(connections.map(({ protocol, count = 1 }) => [protocol, count])).toEqual([
      ...[
        ['http', 1],
        ['tls', 1],
        ['http', 29],
        ['tls', 2],
      ],
    ]);
    const tooMany = warnings(text, 'too many requests');
    expect(tooMany.map(({ count }) => count ?? 1)).toEqual([1, refused - 1]);
    expect(tooMany[0]).toMatchObject({ ipAddress: '127.0.0.1', path: '/edge/client/v1/authenticate' });
  });

  it('has none when a client only goes away', async () => {
    let text = '';
    const destination = {
      write(line: string) {
        text += line;
      },
    };
    const quiet = await startController({ log: createLogger({ level: 'warn', destination }) });
    const refused = vi.fn();
    quiet.controller.events.on('connection.refused', refused);
    const target = { port: Number(new URL(quiet.url).port), host: '127.0.0.1' };
    for (let at = 0; at < 5; at++) {
      const socket = connectPlain(target);
      await once(socket, 'connect');
      socket.resetAndDestroy();
    }
    const gone = connect({ ...target, rejectUnauthorized: false });
    await once(gone, 'secureConnect');
    gone.destroy();
    await quiet.wire('GET', '/version');
    await quiet[Symbol.asyncDispose]();
    expect(refused).not.toHaveBeenCalled();
    expect(text).not.toContain('connection refused');
  });
});

describe('the cipher of a connection', () => {
  it.each(['TLSv1.2', 'TLSv1.3'] as const)('prefers the longest keys, in TLS 1.2 and 1.3: %s', async (version) => {
    const ciphers =
      'TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384';
    const socket = open({ minVersion: version, maxVersion: version, ciphers });
    await once(socket, 'secureConnect');
    expect(socket.getCipher().name).toContain('256');
    expect(socket.getCipher().name).toMatch(/AES_?256/);
    socket.destroy();
  });
});
