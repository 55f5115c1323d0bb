import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadIdentity, saveIdentity } from './index.ts';

const identity = { url: 'https://localhost:1280', key: 'KEY\n', cert: 'CERT\n', ca: 'CA\n' };
let directory = '';

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'edge-identity-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const file = (name: string, content?: unknown) => {
  const path = join(directory, name);
  if (content !== undefined) writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
};
const members = (path: string) => JSON.parse(readFileSync(path, 'utf8'));

test('saves the JSON of existing tools for its owner only, and loads it again', async () => {
  const path = join(directory, 'new', 'sensor.json');
  await saveIdentity(path, identity);
  expect(members(path)).toEqual({
    ztAPI: 'https://localhost:1280/edge/client/v1',
    id: { key: 'pem:KEY\n', cert: 'pem:CERT\n', ca: 'pem:CA\n' },
  });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(loadIdentity(path)).toEqual(identity);
  expect(readdirSync(join(directory, 'new'))).toEqual(['sensor.json']);
});

test('keeps the members that it does not know, and closes a file that others could read', async () => {
  const more = { configTypes: ['all'], enableHa: true, ztAPIs: ['https://a:1/edge/client/v1'] };
  const path = file('sensor.json', { ...more, ztAPI: 'https://old:1', id: { cert: 'pem:OLD', server_cert: 'pem:S' } });
  await saveIdentity(path, identity);
  expect(members(path)).toMatchObject({ ...more, id: { cert: 'pem:CERT\n', server_cert: 'pem:S' } });
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('reads values from URLs, paths and plain PEM, and the first of several controllers', async () => {
  const key = file('key.pem', 'KEY\n');
  const path = file('sensor.json', {
    ztAPIs: ['https://one:1280/edge/client/v1', 'https://two:1280/edge/client/v1'],
    id: { key: pathToFileURL(key).href, cert: `file://${key}`, ca: key },
  });
  expect(loadIdentity(path)).toEqual({ url: 'https://one:1280', key: 'KEY\n', cert: 'KEY\n', ca: 'KEY\n' });
  const pem = '-----BEGIN CERTIFICATE-----\n';
  expect(loadIdentity(file('plain.json', { ztAPI: 'https://one:1', id: { ca: pem } }))).toEqual({
    url: 'https://one:1',
    ca: pem,
  });
});

test.each([
  ['no JSON', '{"ztAPI": "https://a", "id": {"key": "pem:SECRET"'],
  ['no object', '["SECRET"]'],
  ['no address', { id: { key: 'pem:SECRET' } }],
  ['a key that is no text', { ztAPI: 'https://a', id: { key: { pem: 'SECRET' } } }],
  ['a key in a key store', { ztAPI: 'https://a', id: { key: 'pkcs11://SECRET?pin=SECRET' } }],
])('refuses a file with %s, and does not quote it', (_case, content) => {
  const path = file('sensor.json', content);
  expect(() => loadIdentity(path)).toThrow(path);
  expect(() => loadIdentity(path)).not.toThrow('SECRET');
});

test('does not replace a file that is no identity file', async () => {
  const path = file('notes.txt', 'my notes');
  await expect(saveIdentity(path, identity)).rejects.toThrow(TypeError);
  expect(readFileSync(path, 'utf8')).toBe('my notes');
  await expect(saveIdentity(file('new.json'), { key: 'KEY', cert: 'CERT' })).rejects.toThrow('no url');
});
