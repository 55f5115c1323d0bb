import { readFileSync } from 'node:fs';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestController } from '../support/controller.ts';
import { startController } from '../support/controller.ts';

const session = '/edge/client/v1/current-api-session';
const sessions = '/edge/management/v1/api-sessions';
const identities = '/edge/management/v1/identities';
const cacerts = '/.well-known/est/cacerts';

let server: TestController;
let token: string;
beforeAll(async () => {
  server = await startController();
  token = await server.signIn();
});
afterAll(() => server[Symbol.asyncDispose]());

/** Sends bytes as they are, and returns the bytes of the response when the controller closes the connection. */
function exchange(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = '';
    const ca = readFileSync(server.caFile);
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(server.url).port), ca, servername: 'localhost' });
    socket
      .on('data', (chunk) => (received += chunk))
      .on('error', reject)
      .on('close', () => resolve(received))
      .write(bytes);
  });
}

describe('the generated Go client', () => {
  it('lists API sessions', async () => {
    // It announces the media type of the document, which has a parameter, and lets Go ask for gzip.
    const received = await exchange(
      `GET ${sessions}?limit=500&offset=0 HTTP/1.1\r\nHost: localhost:1280\r\nUser-Agent: Go-http-client/1.1\r\n` +
        `Connection: close\r\nAccept: application/json; charset=utf-8\r\nSvc-Session: ${token}\r\nAccept-Encoding: gzip\r\n\r\n`,
    );
    expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(received).toContain('\r\nContent-Type: application/json\r\n');
    expect(JSON.parse(received.slice(received.indexOf('\r\n\r\n'))).data).toMatchObject([{ token }]);
  });

  it('creates an identity', async () => {
    // With a body, it may announce the charset of the request, too.
    const body = '{"isAdmin":false,"name":"made by Go","type":"User"}\n';
    const received = await exchange(
      `POST ${identities} HTTP/1.1\r\nHost: localhost:1280\r\nUser-Agent: Go-http-client/1.1\r\nConnection: close\r\n` +
        `Content-Length: ${body.length}\r\nAccept: application/json; charset=utf-8\r\nContent-Type: application/json; charset=utf-8\r\n` +
        `Svc-Session: ${token}\r\nAccept-Encoding: gzip\r\n\r\n${body}`,
    );
    expect(received).toMatch(/^HTTP\/1\.1 201 Created\r\n/);
  });
});

describe('a parameter of a media range', () => {
  it.each([
    'application/json; charset=utf-8',
    'application/json;q=0.5;charset=utf-8',
    'application/json; profile="a, text/html;q=0"',
    'text/html, application/json;odata=verbose;q=0.1',
    'application/*;charset=utf-8',
    '*/*;x=y',
  ])('excludes nothing: "%s"', async (accept) => {
    const answer = await server.wire('GET', session, { token, headers: { accept } });
    expect([answer.status, answer.headers['content-type']], answer.text).toEqual([200, 'application/json']);
    const bundle = await server.wire('GET', cacerts, { headers: { accept } });
    expect([bundle.status, bundle.headers['content-type']]).toEqual([200, 'application/pkcs7-mime']);
  });

  it.each(['application/json;charset=utf-8;q=0', 'application/json;q=0, */*;x=y', 'text/html;x="application/json"'])(
    'makes nothing acceptable: "%s"',
    async (accept) => {
      const answer = await server.wire('GET', session, { token, headers: { accept } });
      expect([answer.status, answer.body.error.code]).toEqual([406, 'COULD_NOT_VALIDATE']);
    },
  );

  it.each([
    ['text/yaml;charset=utf-8, application/json;q=0.9', 'text/yaml'],
    ['application/json;charset=utf-8, */*;q=0.1', 'application/json'],
  ])('does not change which document "%s" prefers', async (accept, type) => {
    const answer = await server.wire('GET', '/specs/edge-client/spec', { headers: { accept } });
    expect([answer.status, answer.headers['content-type']]).toEqual([200, type]);
  });
});

describe('a body', () => {
  it.each(['application/json; charset=utf-8', 'APPLICATION/JSON;odata=verbose', 'application/json;'])(
    'may have the media type "%s"',
    async (type) => {
      const headers = { 'content-type': type };
      const path = '/edge/client/v1/authenticate/mfa';
      const answer = await server.wire('POST', path, { token, body: { code: '123456' }, headers });
      expect([answer.status, answer.body.error.code]).toEqual([409, 'MFA_NOT_ENROLLED']);
    },
  );

  it('is not compressed for a client that takes gzip', async () => {
    const answer = await server.wire('GET', session, { token, headers: { 'accept-encoding': 'gzip, deflate, br' } });
    expect([answer.status, answer.headers['content-encoding']]).toEqual([200, undefined]);
    expect(answer.body.data.token).toBe(token);
  });
});

describe('a refused media type is named', () => {
  it('by 406', async () => {
    const answer = await server.wire('GET', session, { token, headers: { accept: 'text/html;level=1' } });
    expect([answer.status, answer.body.error.cause]).toMatchObject([
      406,
      { field: 'Accept', value: 'text/html;level=1' },
    ]);
    const long = await server.wire('GET', session, { token, headers: { accept: `text/${'x'.repeat(5_000)}` } });
    expect([long.status, long.body.error.cause.value.length]).toEqual([406, 257]);
  });

  it('by 415, without its parameters; a body without one is of the type application/octet-stream', async () => {
    const send = (headers: Record<string, string>) => server.wire('POST', identities, { token, raw: '{}', headers });
    const xml = await send({ 'content-type': 'text/xml; charset=utf-8' });
    expect([xml.status, xml.body.error.cause]).toMatchObject([415, { field: 'Content-Type', value: 'text/xml' }]);
    const coded = await send({ 'content-type': 'application/json', 'content-encoding': 'gzip' });
    expect([coded.status, coded.body.error.cause]).toMatchObject([415, { field: 'Content-Encoding', value: 'gzip' }]);
    const bare = await exchange(
      `POST ${identities} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nsvc-session: ${token}\r\nContent-Length: 2\r\n\r\n{}`,
    );
    expect(bare).toMatch(/^HTTP\/1\.1 415 /);
    expect(bare).toContain('"value":"application/octet-stream"');
  });
});

describe('a base path', () => {
  const get = (path: string) =>
    exchange(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nsvc-session: ${token}\r\n\r\n`);

  it.each([
    '//edge/management/v1/identities',
    '/edge//management/v1/identities',
    '//edge//management//v1//identities',
    '/./edge/management/v1/identities',
    '/edge/./management/v1/identities',
    '/%65dge/management/v1/identities',
    '/edge/client/v1/../../management/v1/identities',
    '/edge/management/v1/cas/../identities',
    '//edge//client//v1/version',
    '//edge/v1/version',
    'https://localhost//edge/management/v1/identities',
  ])('has one spelling, so that a proxy can guard it: %s is unknown', async (path) => {
    expect(await get(path)).toMatch(/^HTTP\/1\.1 404 [\s\S]*"code":"NOT_FOUND"/);
  });

  it.each([
    '/edge/nope',
    '/nope',
    '/edge/v1/nope',
    '/edge/client/v1//nope/',
    '/edge/management/v1/nope',
    '/fabric/v1/nope',
  ])('is repeated as it was sent: %s', async (path) => {
    expect(await get(`${path}?a=b`)).toContain(`"path ${path} was not found"`);
  });

  it.each([
    '/edge/management/v1//identities',
    '/edge/management/v1/./identities//',
    '/edge/management/v1/identities/.',
    '/edge/v1//version',
    '//version/',
  ])('may be followed by repeated slashes and dots: %s', async (path) => {
    expect(await get(path)).toMatch(/^HTTP\/1\.1 200 /);
  });
});

it('a semicolon in a query belongs to the value of its parameter', async () => {
  const answer = await server.wire('GET', `${identities}?filter=true;limit=1`, { token });
  expect([answer.status, answer.body.error.code]).toEqual([400, 'INVALID_FILTER']);
});
