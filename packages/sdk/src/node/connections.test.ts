import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { startTlsServer } from '../../test/support/tls-server.ts';
import { createEdgeClient, nodeFetch } from './index.ts';

const file = (name: string) => fileURLToPath(new URL(`../../test/support/tls/${name}`, import.meta.url));
const read = (name: string) => readFileSync(file(name), 'utf8');
const version = JSON.stringify({ data: { version: '1' }, meta: {} });
const start = (delay = 0) =>
  startTlsServer({ key: read('server.key'), cert: read('server.pem') }, (_request, response) =>
    setTimeout(() => response.writeHead(200, { 'content-type': 'application/json' }).end(version), delay),
  );

test('a thousand parallel calls use 32 connections', async () => {
  await using server = await start();
  const { client } = createEdgeClient(server.url, { caFile: file('ca.pem'), timeout: 120_000 });
  const results = await Promise.all(Array.from({ length: 1_000 }, () => client.version.get()));
  expect(results).toHaveLength(1_000);
  expect(server.requests).toHaveLength(1_000);
  expect(server.clients).toHaveLength(32);
});

test('maxConnections sets another limit, and an aborted call leaves the queue', async () => {
  await using server = await start(20);
  const { client } = createEdgeClient(server.url, { caFile: file('ca.pem'), maxConnections: 2 });
  const waiting = new AbortController();
  const calls = Array.from({ length: 6 }, () => client.version.get());
  const aborted = client.version.get({ signal: waiting.signal }).then(null, (error: unknown) => error);
  waiting.abort(new Error('no longer needed'));
  expect(await aborted).toBe(waiting.signal.reason);
  await Promise.all(calls);
  expect([server.clients.length, server.requests.length]).toEqual([2, 6]);
});

test('close ends the connections that nobody uses', async () => {
  await using server = await start();
  const fetch = nodeFetch({ ca: read('ca.pem') });
  const { client } = createEdgeClient(server.url, { fetch });
  await client.version.get();
  fetch.close();
  await client.version.get();
  expect(server.clients).toHaveLength(2);
});

test('maxConnections that is no positive integer, or that has no effect, is refused', () => {
  expect(() => createEdgeClient('https://localhost', { maxConnections: 0 })).toThrow(/positive integer, got 0/);
  expect(() => createEdgeClient('https://localhost', { maxConnections: 4, fetch })).toThrow(/no effect/);
});

test('an error of an untrusted CA names caFile', async () => {
  await using server = await start();
  const error = await createEdgeClient(server.url)
    .client.version.get()
    .then(null, (reason: unknown) => reason);
  expect(error).toMatchObject({
    name: 'EdgeTlsError',
    reason: 'UNTRUSTED',
    message: expect.stringContaining('`caFile`'),
  });
});

test.each([
  ['', 'found nothing'],
  ['<html></html>', 'found HTML'],
  ['{"error":{}}', 'found JSON'],
  ['./pki/ca.pem', 'goes into `caFile`'],
  [read('server.key'), 'PEM of type "'],
  ['-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n', 'PEM certificate 1 of 1 is damaged'],
  [
    `${read('ca.pem')}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`,
    'PEM certificate 2 of 2 is damaged',
  ],
])('a ca that is no certificate is refused at once, and the error says what it is', (ca, message) => {
  expect(() => createEdgeClient('https://localhost', { ca })).toThrow(TypeError);
  expect(() => createEdgeClient('https://localhost', { ca })).toThrow(message);
});

test('a caFile that is no certificate is named, and its content is not quoted', () => {
  const create = () => createEdgeClient('https://localhost', { caFile: file('server.key') });
  expect(create).toThrow(/`caFile` .*server\.key has no PEM certificate: found PEM of type "[A-Z ]*PRIVATE KEY"$/);
});
