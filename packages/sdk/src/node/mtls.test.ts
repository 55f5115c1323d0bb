import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Authority, Issued } from '../../test/support/openssl.ts';
import { createAuthority } from '../../test/support/openssl.ts';
import { json } from '../../test/support/scripted-server.ts';
import { startLocalServer, startTlsServer } from '../../test/support/tls-server.ts';
import type { Fetch } from './index.ts';
import { createEdgeClient, isEdgeNetworkError, isEdgeTlsError, mtls } from './index.ts';

const version = { data: { version: '1' }, meta: {} };
let authority: Authority;
let other: Authority;
let client: Issued & { ca: string };

beforeAll(() => {
  [authority, other] = [createAuthority(), createAuthority()];
  client = { ...authority.issue({ subject: 'sensor' }), ca: authority.ca };
});
afterAll(() => {
  authority[Symbol.dispose]();
  other[Symbol.dispose]();
});

test('presents the certificate on one connection that is kept alive', async () => {
  await using server = await startLocalServer(authority, (_request, response) => json(response, 200, version));
  const edge = createEdgeClient(server.url, { fetch: mtls(client) });
  for (let calls = 0; calls < 20; calls += 1) await edge.client.version.get();
  expect(server.clients).toEqual(['sensor']);
});

test('presents the certificate on every new connection, because no TLS session is resumed', async () => {
  await using server = await startLocalServer(authority, (_request, response) => {
    json(response, 200, version, { connection: 'close' });
  });
  const edge = createEdgeClient(server.url, { fetch: mtls(client) });
  for (let calls = 0; calls < 5; calls += 1) await edge.client.version.get();
  expect([server.clients, server.resumed()]).toEqual([Array.from({ length: 5 }, () => 'sensor'), 0]);
});

test('rejects with the reason of the caller when a call is aborted', async () => {
  await using server = await startLocalServer(authority, () => undefined);
  const edge = createEdgeClient(server.url, { fetch: mtls(client) });
  const controller = new AbortController();
  const reason = new Error('enough');
  const call = edge.client.version.get({ signal: controller.signal });
  setTimeout(() => controller.abort(reason), 20);
  await expect(call).rejects.toBe(reason);
});

test('refuses a key and a certificate that do not belong together, without a quote', () => {
  const { key } = authority.issue();
  const refusal = () => mtls({ ...client, key });
  expect(refusal).toThrow('do not belong together');
  expect(refusal).not.toThrow(key.slice(40, 60));
  expect(() => mtls({ ...client, cert: 'no PEM' })).toThrow(TypeError);
  expect(() => mtls({ ca: client.ca })).toThrow('needs a key and a certificate');
});

async function failure(url: string): Promise<unknown> {
  const edge = createEdgeClient(url, { fetch: mtls(client), retries: 0 });
  return edge.client.version.get().catch((error: unknown) => error);
}

const answer = (_request: unknown, response: Parameters<typeof json>[0]) => json(response, 200, version);

test.each([
  ['UNTRUSTED', () => other.issue({ names: 'DNS:localhost' })],
  ['EXPIRED', () => authority.issue({ names: 'DNS:localhost', days: -1 })],
  ['WRONG_HOST', () => authority.issue({ names: 'DNS:elsewhere.example' })],
] as const)('a server certificate that is %s is a TLS error with a hint', async (reason, issue) => {
  await using server = await startTlsServer(issue(), answer);
  const error = await failure(server.url);
  expect(isEdgeTlsError(error, reason) && isEdgeNetworkError(error)).toBe(true);
  expect(error).toMatchObject({ reason, hint: expect.any(String) });
  expect(server.requests).toEqual([]);
});

test('a server certificate that was refused is not tried again', async () => {
  await using server = await startTlsServer(other.issue({ names: 'DNS:localhost' }), answer);
  const send = mtls(client);
  let tries = 0;
  const fetch: Fetch = (...args) => {
    tries += 1;
    return send(...args);
  };
  await expect(createEdgeClient(server.url, { fetch }).client.version.get()).rejects.toMatchObject({
    reason: 'UNTRUSTED',
  });
  expect(tries).toBe(1);
});

test.each(['-tls1_2', '-tls1_3'])(
  'a server that refuses the client certificate with %s is a TLS error',
  async (version) => {
    using server = await refusingServer(version);
    const error = await failure(server.url);
    expect(error).toMatchObject({ reason: 'HANDSHAKE', code: expect.stringMatching(/ALERT|EPROTO/) });
  },
);

/** OpenSSL, because it sends the TLS alert that Node does not send. */
async function refusingServer(version: string) {
  const { key, cert } = authority.issue({ names: 'DNS:localhost' });
  const directory = mkdtempSync(join(tmpdir(), 'edge-refusing-'));
  const files = Object.entries({ key, cert, CAfile: other.ca }).flatMap(([name, pem]) => {
    writeFileSync(join(directory, name), pem);
    return [`-${name}`, name];
  });
  const args = ['s_server', version, ...files, '-Verify', '1', '-verify_return_error', '-accept', '127.0.0.1:0'];
  const child = spawn('openssl', args, { cwd: directory, stdio: ['pipe', 'pipe', 'ignore'] });
  const port = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (text) => /ACCEPT .*:(\d+)/.exec(String(text))?.slice(1).forEach(resolve));
    child.once('exit', (code) => reject(new Error(`openssl ended with ${code}`)));
  });
  return {
    url: `https://localhost:${port}`,
    [Symbol.dispose]() {
      child.kill();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function urlOf(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `https://localhost:${(server.address() as AddressInfo).port}`;
}

test('a connection that is closed during the handshake, and a server without TLS, are TLS errors', async () => {
  const closing = createTcpServer((socket) => socket.once('data', () => socket.destroy()));
  const resetting = createTcpServer((socket) => socket.once('data', () => socket.resetAndDestroy()));
  const plain = createHttpServer((_request, response) => response.end());
  try {
    for (const server of [closing, resetting]) {
      expect(await failure(await urlOf(server))).toMatchObject({ reason: 'HANDSHAKE', code: 'TLS_HANDSHAKE_CLOSED' });
    }
    expect(await failure(await urlOf(plain))).toMatchObject({ reason: 'HANDSHAKE' });
  } finally {
    for (const server of [closing, resetting, plain]) server.close();
  }
});

test('a connection that is lost after the handshake, and a closed port, are no TLS errors', async () => {
  await using server = await startLocalServer(authority, (request) => request.socket.destroy());
  const lost = await failure(server.url);
  expect([isEdgeNetworkError(lost), isEdgeTlsError(lost)]).toEqual([true, false]);
  await server[Symbol.asyncDispose]();
  const closed = await failure(server.url);
  expect([isEdgeNetworkError(closed), isEdgeTlsError(closed)]).toEqual([true, false]);
});
