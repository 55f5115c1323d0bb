import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLogger } from '../src/index.ts';
import type { TestController } from './support/controller.ts';
import { startController } from './support/controller.ts';

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
  return text(socket);
}

function headersOf(response: string): Record<string, string> {
  const [, ...fields] = (response.split('\r\n\r\n', 1)[0] ?? '').split('\r\n');
  return Object.fromEntries(fields.map((field) => [field.split(': ')[0]?.toLowerCase(), field.split(': ')[1]]));
}

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
    const refused = lines.map((line) => JSON.parse(line)).find(({ msg }) => msg === 'connection refused');
    expect(refused).toMatchObject({ reason: 'HPE_INVALID_HEADER_TOKEN', address: '127.0.0.1' });
    expect(refused.detail).toMatch(/^Parse Error/);
    expect(lines.join('')).not.toMatch(/secret|circular/);
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
