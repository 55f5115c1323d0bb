import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { bundle } from '../test/support/bundle.ts';
import { json, refuse, scriptedServer, sessionDetail } from '../test/support/scripted-server.ts';

const client = "export { createEdgeClient } from './index.ts'";

/** A server compresses each file on its own. */
const sizeOf = (texts: Iterable<string>) =>
  [...texts].reduce((size, text) => size + gzipSync(text, { level: 9 }).length, 0);

test('the browser bundle contains neither zod nor Node modules', async () => {
  const { inputs, chunks } = await bundle("export * from './index.ts'");
  expect(inputs.filter((path) => /zod|node:|shared-types|oauth4webapi/.test(path))).toEqual([]);
  for (const text of chunks.values()) expect(text).not.toMatch(/["']node:/);
});

test('a bundle for a page sends with `fetch`, others with ky', async () => {
  const usesKy = async (platform: 'browser' | 'neutral') =>
    (await bundle(client, { platform })).inputs.some((path) => path.includes('/ky/'));
  expect([await usesKy('browser'), await usesKy('neutral')]).toEqual([false, true]);
});

test('`/single` is one file, which loads nothing', async () => {
  const { chunks } = await bundle("export * from './single/index.ts'", { isOneFile: true });
  expect([...chunks.keys()]).toEqual(['stdin.js']);
  expect(chunks.get('stdin.js')).not.toMatch(/\bimport\b *[("']|\bfrom *"/);
});

test.each([
  ['with fetch', {}],
  ['with ky', { platform: 'neutral' }],
  ['in one file', { isOneFile: true }],
] as const)('the ESM bundle %s signs in without window, process and localStorage', async (_name, options) => {
  await using server = await scriptedServer((seen, response) => {
    if (seen.path.includes('/authenticate?')) return json(response, 200, { data: sessionDetail('token-1'), meta: {} });
    if (seen.path.endsWith('/version')) return json(response, 200, { data: { version: '7' }, meta: {} });
    return refuse(response, 404, 'NOT_FOUND');
  });
  const folder = mkdtempSync(join(tmpdir(), 'edge-bundle-'));
  try {
    for (const [name, text] of (await bundle(client, options)).chunks) writeFileSync(join(folder, name), text);
    const runner = fileURLToPath(new URL('../test/support/run-in-vm.mjs', import.meta.url));
    const args = ['--experimental-vm-modules', '--no-warnings', runner, folder, 'stdin.js', server.url];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    expect(JSON.parse(stdout)).toEqual({ name: 'alice', version: '7', refused: 'NOT_FOUND', fetched: 200 });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('without the code of sessions, a sign-out removes the token', async () => {
  await using server = await scriptedServer((_seen, response) =>
    json(response, 200, { data: { version: '7' }, meta: {} }),
  );
  const folder = mkdtempSync(join(tmpdir(), 'edge-bundle-'));
  const script = `
    const { createEdgeClient } = await import(${JSON.stringify(join(folder, 'stdin.js'))});
    const url = ${JSON.stringify(server.url)};
    const values = new Map([[\`edge-session \${url}\`, 'token-1']]);
    const storage = { get: (key) => values.get(key) ?? null, set: (key, value) => values.set(key, value), remove: (key) => values.delete(key) };
    const edge = createEdgeClient(url, { storage });
    const restored = await edge.restore().catch((error) => error.name);
    const stored = values.size;
    const { confirmed, error } = await edge.signOut();
    console.log(JSON.stringify({ restored, stored, state: edge.state, confirmed, error: error.name, code: error.code, left: values.size }));
  `;
  try {
    for (const [name, text] of (await bundle(client)).chunks) {
      if (!name.startsWith('session-')) writeFileSync(join(folder, name), text);
    }
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
    expect(JSON.parse(stdout)).toEqual({
      ...{ restored: 'EdgeNetworkError', stored: 1, state: 'signed-out' },
      ...{ confirmed: false, error: 'EdgeNetworkError', code: 'ERR_MODULE_NOT_FOUND', left: 0 },
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('the sign-in through a provider adds less than 3 kB of our own, and less than 10 kB with its library', async () => {
  const own = await bundle("export * from './oidc/index.ts'", { external: ['oauth4webapi'] });
  expect(own.inputs.filter((path) => /zod|node:|shared-types/.test(path))).toEqual([]);
  expect(sizeOf(own.chunks.values())).toBeLessThan(3_000);
  expect(sizeOf((await bundle("export * from './oidc/index.ts'")).chunks.values())).toBeLessThan(10_000);
});
