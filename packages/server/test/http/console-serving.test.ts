import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import Koa from 'koa';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromium as pathOfChromium } from '../../../../scripts/chromium.ts';
import { createController } from '../../src/index.ts';
import { consoleContents, inlineScript, inlineStyle, sha256, writeConsole } from '../support/console-files.ts';
import type { TestController } from '../support/controller.ts';
import { startController } from '../support/controller.ts';
import { runExecutable } from '../support/executable.ts';
import { createWire } from '../support/request.ts';

const html = { accept: 'text/html,*/*;q=0.8' };
const script = '/console/assets/app-1a2b3c.js';
const index = consoleContents['index.html']!;

let dir = '';
let server: TestController;
beforeAll(async () => {
  dir = writeConsole();
  server = await startController({ consoleEnabled: true, consoleDir: dir });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(dirname(dir), { recursive: true, force: true });
});

/** A request whose target is sent as it is: a URL would take `..` out of it. */
function send(target: string, headers: Record<string, string> = {}) {
  const { hostname: host, port } = new URL(server.url);
  return new Promise<{ status: number; text: string; type: string | undefined }>((resolve, reject) => {
    const options = { host, port, path: target, ca: readFileSync(server.caFile), agent: false, headers };
    request(options, async (response) => {
      let text = '';
      for await (const chunk of response) text += chunk;
      resolve({ status: response.statusCode ?? 0, text, type: response.headers['content-type'] });
    })
      .on('error', reject)
      .end();
  });
}

describe('the files of the web console', () => {
  it('have their types, and bytes as on the disk', async () => {
    const types = {
      'index.html': 'text/html; charset=utf-8',
      'assets/app-1a2b3c.js': 'text/javascript; charset=utf-8',
      'assets/tiny-4d5e6f.css': 'text/css; charset=utf-8',
      'favicon.svg': 'image/svg+xml',
    };
    for (const [name, type] of Object.entries(types)) {
      const { status, headers, text } = await server.wire('GET', `/console/${name}`);
      expect([status, headers['content-type'], text], name).toEqual([200, type, consoleContents[name]]);
      expect(headers['x-content-type-options'], name).toBe('nosniff');
    }
  });

  it.each([
    '/console/',
    '/console/?code=a',
    '/console/identities',
    '/console/identities/',
    '/console/identities/aB.c-d.x9/edit',
    '/console/identities/3.jH4-kLm0?tab=policies',
    '/console/audit%20log',
  ])('index.html is each page of it: %s', async (target) => {
    const page = await send(target);
    expect([page.status, page.type, page.text]).toEqual([200, 'text/html; charset=utf-8', index]);
  });

  it.each([
    ['/console', '/console/'],
    ['/console?error=access_denied&state=%3Cb%3E', '/console/?error=access_denied&state=%3Cb%3E'],
  ])('%s leads to the directory, and keeps the query', async (target, location) => {
    const { status, headers } = await server.wire('GET', target);
    expect([status, headers.location]).toEqual([308, location]);
  });

  it.each([
    '/console/missing.js',
    '/console/assets/missing-123.js',
    '/console/assets/missing',
    '/console/assets/',
    '/console/%61ssets/app',
    '/console/identities/app%2ejs',
    '/console/.hidden.js',
    '/console/csp.json',
    '/console/link.txt',
    '/console/../secret.txt',
    '/console/../secret',
    '/console/assets/../../secret',
    '/console/%2e%2e/secret',
    '/console/.%2E/secret',
    '/console/..%2fsecret',
    '/console/..%5csecret',
    '/console/..\\secret',
    '/console/./identities',
    '/console//',
    '/console//etc/passwd',
    '/console/a//b',
    '/console/identities%00',
    '/console/app.js%00.css',
    '/console/%',
    '/console/%ff%fe',
    '/console/identities%2f1',
    '/Console/',
    '/consoles',
    '//console/',
  ])('%s is none', async (target) => {
    const { status, text } = await send(target);
    expect([status, JSON.parse(text).error.code]).toEqual([404, 'NOT_FOUND']);
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('take no %s', async (method) => {
    for (const path of ['/console', '/console/', '/console/identities', script]) {
      const { status, headers, body } = await server.wire(method, path);
      expect([status, body.error.code, headers.allow], path).toEqual([405, 'METHOD_NOT_ALLOWED', 'HEAD, GET']);
    }
  });
});

describe('caches', () => {
  it('may keep what has a hash in its name, and must ask for everything else', async () => {
    const kept = await server.wire('GET', script);
    expect(kept.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    for (const path of ['/console/', '/console/identities', '/console/index.html', '/console/favicon.svg']) {
      expect((await server.wire('GET', path)).headers['cache-control'], path).toBe('no-cache');
    }
    expect((await server.wire('GET', '/console/assets/missing-1.js')).headers['cache-control']).toBe('no-store');
  });

  it('get nothing again that they have', async () => {
    for (const path of ['/console/', '/console/identities', script]) {
      for (const encoding of ['identity', 'gzip', 'br']) {
        const headers = { 'accept-encoding': encoding };
        const first = await server.wire('GET', path, { headers });
        const etag = String(first.headers.etag);
        const again = await server.wire('GET', path, { headers: { ...headers, 'if-none-match': etag } });
        expect([again.status, again.bytes.length, again.headers.etag], path).toEqual([304, 0, etag]);
        expect(again.headers.vary, path).toBe('Accept-Encoding');
        const head = await server.wire('HEAD', path, { headers });
        expect([head.status, head.bytes.length], path).toEqual([200, 0]);
        expect(head.headers['content-length'], path).toBe(String(first.bytes.length));
        expect(head.headers.etag, path).toBe(etag);
      }
      const other = await server.wire('GET', path, { headers: { 'if-none-match': '"other"' } });
      expect([other.status, other.bytes.length > 0]).toEqual([200, true]);
    }
  });
});

describe('encodings', () => {
  it.each([
    [undefined, undefined],
    ['gzip', 'gzip'],
    ['gzip, deflate, br, zstd', 'br'],
    ['br;q=0, gzip', 'gzip'],
    ['*', 'br'],
    ['gzip;q=0, br;q=0', undefined],
    ['deflate', undefined],
    ['identity', undefined],
  ])('Accept-Encoding: %s gets %s', async (accepted, expected) => {
    const headers = accepted === undefined ? {} : { 'accept-encoding': accepted };
    const answer = await server.wire('GET', script, { headers });
    expect([answer.headers['content-encoding'], answer.headers.vary]).toEqual([expected, 'Accept-Encoding']);
    const decode = { br: brotliDecompressSync, gzip: gunzipSync, undefined: (bytes: Buffer) => bytes }[
      String(expected)
    ]!;
    expect(decode(answer.bytes).toString()).toBe(consoleContents['assets/app-1a2b3c.js']);
    expect(answer.headers['content-length']).toBe(String(answer.bytes.length));
  });

  it('have ETags of their own, and are left out where they save nothing', async () => {
    const etags = await Promise.all(
      ['br', 'gzip', 'identity'].map(async (encoding) => {
        const { headers } = await server.wire('GET', script, { headers: { 'accept-encoding': encoding } });
        return headers.etag;
      }),
    );
    expect(new Set(etags).size).toBe(3);
    const tiny = await server.wire('GET', '/console/assets/tiny-4d5e6f.css', { headers: { 'accept-encoding': 'br' } });
    expect([tiny.headers['content-encoding'], tiny.text]).toEqual([undefined, 'a{}']);
  });
});

describe('the policy of its pages', () => {
  it('allows the files of the console, and nothing inline but what index.html and csp.json have', async () => {
    for (const path of ['/console/', '/console/identities', script, '/console/favicon.svg']) {
      const { headers } = await server.wire('GET', path);
      const directives = String(headers['content-security-policy']).split('; ');
      const { styles } = JSON.parse(consoleContents['csp.json']!);
      expect(directives, path).toEqual([
        "default-src 'none'",
        `script-src 'self' '${sha256(inlineScript)}'`,
        `style-src 'self' '${sha256(inlineStyle)}' '${styles[0]}'`,
        "img-src 'self' data: blob:",
        "connect-src 'self' https:",
        ...["font-src 'self'", "manifest-src 'self'", "object-src 'none'"],
        ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
      ]);
      expect(headers['cross-origin-opener-policy'], path).toBe('same-origin');
      expect(headers['permissions-policy'], path).toContain('camera=()');
      expect(headers['referrer-policy'], path).toBe('no-referrer');
    }
  });

  it('in Chromium, the page works, and what others add to it does not', async () => {
    await using browser = await chromium.launch({ executablePath: pathOfChromium(), args: ['--no-sandbox'] });
    const context = await browser.newContext({ ignoreHTTPSErrors: true });
    const fulfill = { status: 201, headers: { 'access-control-allow-origin': '*' }, body: '{}' };
    await context.route('https://provider.example/**', (route) => route.fulfill(fulfill));
    await context.addInitScript(
      'window.refused = []; document.addEventListener("securitypolicyviolation", (event) => refused.push(event.violatedDirective))',
    );
    const tab = await context.newPage();
    await tab.goto(`${server.url}/console/identities`);
    await tab.waitForFunction('document.title === "201"');
    const shown = await tab.evaluate(
      '({ ...document.documentElement.dataset, color: getComputedStyle(document.querySelector("h1")).color })',
    );
    expect(shown).toEqual({ inline: 'ran', color: 'rgb(1, 2, 3)' });
    expect(await tab.evaluate('refused')).toEqual(['style-src-elem', 'script-src-elem']);
  });
});

it('reads the disk at the start alone', async () => {
  const gone = writeConsole();
  await using other = await startController({ consoleEnabled: true, consoleDir: gone });
  rmSync(dirname(gone), { recursive: true });
  const paths = [...Object.keys(consoleContents).slice(0, 4), '', 'identities'];
  for (let round = 0; round < 100; round += 1) {
    const encoding = ['br', 'gzip', 'identity'][round % 3]!;
    const answers = await Promise.all(
      paths.map((name) => other.wire('GET', `/console/${name}`, { headers: { 'accept-encoding': encoding } })),
    );
    expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 200));
  }
});

describe('a controller in another program', () => {
  it('has no console unless it is asked for, neither alone nor mounted', async () => {
    await using plain = await startController({ consoleDir: dir });
    await using off = await startController({ consoleDir: dir, consoleEnabled: false });
    for (const { wire } of [plain, off]) {
      for (const path of ['/console', '/console/', script]) {
        const { status, body } = await wire('GET', path);
        expect([status, body.error.code], path).toEqual([404, 'NOT_FOUND']);
      }
      const overview = await wire('GET', '/', { headers: html });
      expect([overview.status, overview.text.includes('/console')]).toEqual([200, false]);
    }
    expect((await server.wire('GET', '/', { headers: html })).text).toContain('href="/console/"');
  });

  it.each([
    [true, [308, 200, 404, 'mine']],
    [undefined, ['mine', 'mine', 'mine', 'mine']],
  ] as const)('mounted with consoleEnabled: %s, takes only its own paths', async (consoleEnabled, expected) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'edge-console-data-'));
    const asked = consoleEnabled === undefined ? {} : { consoleEnabled };
    const options = {
      port: 0,
      dataDir,
      adminPassword: 'a long password',
      logLevel: 'silent',
      consoleDir: dir,
    } as const;
    const controller = await createController({ ...options, ...asked });
    const app = new Koa().use(controller.middleware()).use((ctx) => {
      ctx.body = 'mine';
    });
    const mounted = createServer({ ...controller.tlsOptions }, app.callback());
    await new Promise<void>((resolve) => mounted.listen(0, '127.0.0.1', resolve));
    const wire = createWire(`https://localhost:${(mounted.address() as AddressInfo).port}`, controller.caFile);
    try {
      const seen = [];
      for (const path of ['/console?a', '/console/identities', '/console/missing.js', '/consoles']) {
        const { status, text } = await wire('GET', path);
        seen.push(text === 'mine' ? text : status);
      }
      expect(seen).toEqual(expected);
    } finally {
      wire.closeIdle();
      mounted.close();
      await controller.close();
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
});

describe('files that cannot be used', () => {
  it.each([
    ['csp.json', '{"styles": ["unsafe-inline"]}'],
    ['csp.json', '{"styles": [], "scripts": []}'],
    ['csp.json', 'nothing'],
    ['large.bin', 'x'.repeat(33_554_432)],
  ])('keep the controller from starting, with an error that says why: %s', async (name, content) => {
    const wrong = writeConsole();
    writeFileSync(join(wrong, name), content);
    const started = startController({ consoleEnabled: true, consoleDir: wrong });
    const message = expect.stringMatching(/^the files of the web console cannot be used: .+\n {2}to fix: build/);
    await expect(started).rejects.toMatchObject({ name: 'StartError', message });
    rmSync(dirname(wrong), { recursive: true });
  });

  it('keep it from starting when they are too many', async () => {
    const wrong = writeConsole();
    for (let number = 0; number < 1_000; number += 1) writeFileSync(join(wrong, `${number}.txt`), '');
    const started = startController({ consoleEnabled: true, consoleDir: wrong });
    await expect(started).rejects.toThrow('more than 1000 files');
    rmSync(dirname(wrong), { recursive: true });
  });

  it('are not read when nobody asks for the console', async () => {
    const wrong = writeConsole({ 'index.html': index, 'csp.json': 'nothing' });
    await using other = await startController({ consoleDir: wrong });
    expect((await other.wire('GET', '/console/')).status).toBe(404);
    rmSync(dirname(wrong), { recursive: true });
  });
});

describe('the executable', () => {
  it.each([
    [{}, true],
    [{ EDGE_CONSOLE: 'false' }, false],
    [{ EDGE_CONSOLE: 'true' }, true],
  ])('with %o serves the console: %s', async (env, isServed) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'edge-console-run-'));
    const running = runExecutable([], { EDGE_DATA_DIR: dataDir, EDGE_ADMIN_PASSWORD: 'a long password', ...env });
    const wire = createWire(await running.ready, join(dataDir, 'pki/ca.pem'));
    const { status } = await wire('GET', '/console/');
    const warnings = running.stderr().match(/the web console has no files/g) ?? [];
    // A clone has the files only when they are built.
    const isBuilt = status === 200;
    expect([status, warnings.length]).toEqual(isServed && isBuilt ? [200, 0] : [404, isServed ? 1 : 0]);
    wire.closeIdle();
    running.process.kill('SIGTERM');
    expect(await running.exited).toBe(0);
    rmSync(dataDir, { recursive: true, force: true });
  });
});
