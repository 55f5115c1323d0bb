import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLogger } from '../../src/index.ts';
import { addPolicy, policyRules } from '../support/auth-policies.ts';
import { addIdentity } from '../support/certificate-users.ts';
import type { TestController } from '../support/controller.ts';
import { startController } from '../support/controller.ts';
import type { JwtIssuer } from '../support/jwt-issuer.ts';
import { addIssuer, bearer, createJwtIssuer, jwtSignIn } from '../support/jwt-issuer.ts';
import type { Respond } from '../support/raw-provider.ts';
import { startRawProvider } from '../support/raw-provider.ts';

/** Milliseconds for a fetch. */
const timeout = 3_000;
const crlf = '\r\n';
const lines = (...texts: string[]) => texts.join(crlf) + crlf + crlf;
const ok = ['HTTP/1.1 200 OK', 'Content-Type: application/json'];
const empty = '{"keys":[]}';

/** Writes and leaves the connection open. */
const write =
  (...texts: (string | Buffer)[]): Respond =>
  (socket) => {
    for (const text of texts) socket.write(text);
  };
/** Writes and ends the connection. */
const end =
  (...texts: (string | Buffer)[]): Respond =>
  (socket) =>
    void socket.end(Buffer.concat(texts.map((text) => Buffer.from(text))));
/** Writes and resets the connection when that has arrived. */
const reset =
  (text = ''): Respond =>
  (socket) => {
    const drop = () => setTimeout(() => socket.resetAndDestroy(), 20);
    if (text === '') drop();
    else socket.write(text, drop);
  };
/** Writes the same again and again, as fast as it is read. */
const flood =
  (text: string, first = ''): Respond =>
  (socket) => {
    const piece = text.repeat(Math.ceil(16_384 / text.length));
    const more = () => {
      if (!socket.destroyed && socket.write(piece)) setImmediate(more);
    };
    if (first) socket.write(first);
    socket.on('drain', more);
    more();
  };
/** Writes a piece now and then. */
const trickle =
  (text: string, first = ''): Respond =>
  (socket) => {
    if (first) socket.write(first);
    const timer = setInterval(() => socket.write(text), 20);
    socket.on('close', () => clearInterval(timer));
  };

const chunked = lines(...ok, 'Transfer-Encoding: chunked');
const loop: Respond = (socket, request) =>
  end(lines('HTTP/1.1 302 Found', `Location: ${request.split(' ')[1]}x`, 'Content-Length: 0'))(socket, request);
const late = `No full response within ${timeout / 1_000}s`;

/** How a response can end, or not, and what the log says then. */
const endings: readonly (readonly [string, Respond, string | RegExp])[] = [
  ['101 with an upgrade', end(lines('HTTP/1.1 101 Switching Protocols', 'Connection: Upgrade', 'Upgrade: h2c')), '101'],
  [
    '101 with an upgrade, and the connection stays open',
    write(lines('HTTP/1.1 101 Switching Protocols', 'Connection: Upgrade', 'Upgrade: websocket')),
    'The status is 101, not 200.',
  ],
  ['101 without an upgrade', write(lines('HTTP/1.1 101 Switching Protocols')), 'The status is 101, not 200.'],
  [
    '101 and then a response',
    end(lines('HTTP/1.1 101 Switching Protocols', 'Upgrade: x'), lines(...ok, 'Content-Length: 11'), empty),
    'The status is 101, not 200.',
  ],
  ['103 and then nothing', write(lines('HTTP/1.1 103 Early Hints')), late],
  ['100 and then the end', end(lines('HTTP/1.1 100 Continue')), 'ECONNRESET'],
  ['102 without end', flood(lines('HTTP/1.1 102 Processing')), 'More than 8 responses with a status below 200.'],
  ['100 now and then', trickle(lines('HTTP/1.1 100 Continue')), 'More than 8 responses with a status below 200.'],
  ['204', end(lines('HTTP/1.1 204 No Content')), 'The status is 204, not 200.'],
  ['204, and the connection stays open', write(lines('HTTP/1.1 204 No Content')), 'The status is 204, not 200.'],
  ['304', write(lines('HTTP/1.1 304 Not Modified', 'Content-Length: 11')), 'The status is 304, not 200.'],
  ['200 without a body, as for HEAD', end(lines(...ok, 'Content-Length: 11')), 'ECONNRESET'],
  ['200 without a body that stays open', write(lines(...ok, 'Content-Length: 11')), late],
  ['200 with no length and no body', end(lines(...ok)), 'not valid JSON'],
  ['200 with the length 0', write(lines(...ok, 'Content-Length: 0')), 'not valid JSON'],
  ['a body that is cut', end(lines(...ok, 'Content-Length: 11'), '{"keys":'), 'ECONNRESET'],
  ['a body that is cut, without a length', end(lines(...ok), '{"keys":'), 'not valid JSON'],
  ['a length that is too short', end(lines(...ok, 'Content-Length: 5'), empty), 'not valid JSON'],
  ['a length that is too long', write(lines(...ok, 'Content-Length: 5000'), empty), late],
  ['a length that is no number', end(lines(...ok, 'Content-Length: many'), empty), 'HPE_INVALID_CONTENT_LENGTH'],
  ['two lengths', end(lines(...ok, 'Content-Length: 11', 'Content-Length: 12'), empty), 'HPE_'],
  ['a length of 10 GB', flood(' ', lines(...ok, 'Content-Length: 10000000000')), 'more than 1024 KiB'],
  ['chunks that never end', write(chunked, `b${crlf}${empty}${crlf}`), late],
  ['chunks without end', flood(`400${crlf}${' '.repeat(1_024)}${crlf}`, chunked), 'more than 1024 KiB'],
  ['chunks of one byte', flood(`1${crlf} ${crlf}`, chunked), 'more than 16384 pieces'],
  ['chunks that are cut', end(chunked, `ff${crlf}{"keys"`), 'ECONNRESET'],
  ['chunks of no size', end(chunked, `z${crlf}`), 'HPE_INVALID_CHUNK_SIZE'],
  ['a chunk extension without end', flood('x', `${chunked}1;`), 'HPE_CHUNK_EXTENSIONS_OVERFLOW'],
  ['trailers without end', flood(`a: b${crlf}`, `${chunked}b${crlf}${empty}${crlf}0${crlf}`), 'HPE_HEADER_OVERFLOW'],
  ['a byte of the body now and then', trickle(' ', lines(...ok, 'Content-Length: 10000')), late],
  ['a byte of a header now and then', trickle('x', `HTTP/1.1 200 OK${crlf}X: `), late],
  ['a header without end', flood('x', `HTTP/1.1 200 OK${crlf}X: `), 'HPE_HEADER_OVERFLOW'],
  ['headers without end', flood(`x: y${crlf}`, `HTTP/1.1 200 OK${crlf}`), 'HPE_HEADER_OVERFLOW'],
  ['half a status line', write('HTTP/1.1 20'), late],
  ['half a status line and the end', end('HTTP/1.1 20'), /HPE_INVALID_EOF_STATE|ECONNRESET/],
  ['nothing', write(), late],
  ['the end at once', end(), 'ECONNRESET'],
  ['no HTTP', end('SSH-2.0-OpenSSH_9.2\r\n'), 'HPE_'],
  ['a reset at once', reset(), 'ECONNRESET'],
  ['a reset in the status line', reset('HTTP/1.1 2'), 'ECONNRESET'],
  ['a reset after 103', reset(lines('HTTP/1.1 103 Early Hints')), 'ECONNRESET'],
  ['a reset in the headers', reset(`HTTP/1.1 200 OK${crlf}Content-`), 'ECONNRESET'],
  ['a reset before the body', reset(lines(...ok, 'Content-Length: 11')), 'ECONNRESET'],
  ['a reset in the body', reset(`${lines(...ok, 'Content-Length: 11')}{"ke`), 'ECONNRESET'],
  ['a reset in the chunks', reset(`${chunked}b${crlf}{"ke`), 'ECONNRESET'],
  ['gzip', end(lines(...ok, 'Content-Encoding: gzip'), gzipSync(empty)), 'The body is compressed.'],
  ['gzip that nobody announces', end(lines(...ok), gzipSync(empty)), 'not valid UTF-8'],
  ['gzip as a transfer', end(lines(...ok, 'Transfer-Encoding: gzip'), gzipSync(empty)), /UTF-8|HPE_/],
  ['brotli', write(lines(...ok, 'Content-Encoding: br', 'Content-Length: 11'), empty), 'The body is compressed.'],
  ['redirects in a circle', loop, 'More than 5 redirects.'],
  ['a redirect without a target', write(lines('HTTP/1.1 302 Found')), 'A redirect has no valid target.'],
  ['a redirect with a body without end', flood('x', lines('HTTP/1.1 302 Found', 'Location: /x')), 'redirects.'],
];

const hello = Buffer.from('160303004a02000046030300000000', 'hex');
/** How a TLS handshake can end, or not. */
const handshakes: typeof endings = [
  ['is never answered', write(), 'No connection within 2s.'],
  ['ends in the middle', end(hello), 'ECONNRESET'],
  ['stays in the middle', write(hello), 'No connection within 2s.'],
  ['comes byte by byte', trickle('\0', String.fromCharCode(0x16, 3, 3, 0x40, 0)), 'No connection within 2s.'],
  ['is reset', reset(), 'ECONNRESET'],
  ['is no TLS', end('HTTP/1.1 400 Bad Request\r\n\r\n'), 'The TLS handshake was refused: no TLS.'],
  ['is refused', end(Buffer.from('15030300020228', 'hex')), 'The request failed (E'],
];

describe('a JWKS endpoint that responds in another way', () => {
  const logged: { msg: string; signerId?: string; problem?: string }[] = [];
  let server: TestController;
  let admin: string;
  let sub: string;

  beforeAll(async () => {
    const log = createLogger({ level: 'warn', destination: { write: (line) => void logged.push(JSON.parse(line)) } });
    server = await startController({ log, jwksTimeout: timeout });
    admin = await server.signIn();
    const primary = { ...policyRules.primary, extJwt: { allowed: true, allowedSigners: [] } };
    const authPolicyId = await addPolicy(server, admin, { name: 'tokens', primary });
    sub = randomUUID();
    await addIdentity(server, admin, { externalId: sub, authPolicyId });
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const statusOf = async (token: string) =>
    (await server.wire('POST', jwtSignIn, { body: {}, headers: bearer(token) })).status;
  const expectOneLine = (signerId: string, problem: string | RegExp) => {
    const problems = logged.filter((line) => line.signerId === signerId && line.problem !== undefined);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.problem).toMatch(problem);
  };

  /** Signs in with a token of a signer whose keys do not come. Returns its id and the token. */
  async function refusedBy(issuer: JwtIssuer, jwksEndpoint: string) {
    const signerId = await addIssuer(server, admin, { ...issuer, jwksEndpoint });
    const token = issuer.sign({ sub });
    const start = performance.now();
    expect(await statusOf(token)).toBe(401);
    expect(performance.now() - start).toBeLessThan(2 * timeout + 2_000);
    return { signerId, token };
  }

  it.concurrent.each(endings)(
    'has one log line, and works again without a restart, after %s',
    async (_, respond, problem) => {
      await using issuer = await createJwtIssuer();
      await using provider = await startRawProvider(respond);
      const { signerId, token } = await refusedBy(issuer, `http://127.0.0.1:${provider.port}/jwks`);
      expectOneLine(signerId, problem);
      const body = JSON.stringify({ keys: issuer.keys.map(({ jwk }) => jwk) });
      provider.serve(end(lines(...ok, `Content-Length: ${body.length}`), body));
      await expect.poll(() => statusOf(token), { interval: 200 }).toBe(200);
    },
  );

  it.concurrent('has no log line when bytes follow the keys', async () => {
    await using issuer = await createJwtIssuer();
    const body = JSON.stringify({ keys: issuer.keys.map(({ jwk }) => jwk) });
    const head = lines(...ok, `Content-Length: ${body.length}`, 'Connection: close');
    await using provider = await startRawProvider(end(head, body, crlf));
    const jwksEndpoint = `http://127.0.0.1:${provider.port}/jwks`;
    const signerId = await addIssuer(server, admin, { ...issuer, jwksEndpoint });
    expect(await statusOf(issuer.sign({ sub }))).toBe(200);
    expect(logged.filter((line) => line.signerId === signerId)).toEqual([]);
  });

  it.concurrent('has one log line when it resets the connection before the request', async () => {
    await using issuer = await createJwtIssuer();
    await using provider = await startRawProvider(write(), (socket: Socket) => void socket.resetAndDestroy());
    const { signerId } = await refusedBy(issuer, `http://127.0.0.1:${provider.port}/jwks`);
    expectOneLine(signerId, 'ECONNRESET');
  });

  it.concurrent.each(handshakes)('has one log line when the TLS handshake %s', async (_, respond, problem) => {
    await using issuer = await createJwtIssuer();
    await using provider = await startRawProvider(respond);
    const { signerId } = await refusedBy(issuer, `https://127.0.0.1:${provider.port}/jwks`);
    expectOneLine(signerId, problem);
  });
});
