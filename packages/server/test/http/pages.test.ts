import type { Browser } from 'playwright-core';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromium as pathOfChromium } from '../../../../scripts/chromium.ts';
import type { OpenApiDocument } from '../../src/documents/openapi/parts.ts';
import type { TestController } from '../support/controller.ts';
import { startController } from '../support/controller.ts';

/** What a browser sends when somebody types an address. */
const browserAccept = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8';
const documents = ['/edge/docs', '/edge/docs/'];
const files = {
  '/edge/docs/docs.js': 'text/javascript; charset=utf-8',
  '/edge/docs/page.css': 'text/css; charset=utf-8',
  '/edge/docs/swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  '/edge/docs/swagger-ui.css': 'text/css; charset=utf-8',
};

let server: TestController;
beforeAll(async () => {
  server = await startController();
});
afterAll(() => server[Symbol.asyncDispose]());

describe('the page at /', () => {
  it('is for browsers; every other client gets the version', async () => {
    const page = await server.wire('GET', '/', { headers: { accept: browserAccept } });
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    for (const api of ['client', 'management']) expect(page.text).toContain(`href="/edge/docs?api=${api}"`);
    for (const accept of [
      undefined,
      '*/*',
      'application/json',
      'application/json, text/html',
      'text/html;q=0.5, */*',
    ]) {
      const version = await server.wire('GET', '/', accept === undefined ? {} : { headers: { accept } });
      expect([version.status, version.headers['content-type']], accept).toEqual([200, 'application/json']);
      expect(version.body.data.apiVersions, accept).toHaveProperty('edge-client');
    }
  });

  it('exists only there: below a base path, a browser gets the version', async () => {
    for (const base of ['/edge/client/v1', '/edge/management/v1', '/edge/v1', '/version']) {
      const { status, headers } = await server.wire('GET', base, { headers: { accept: browserAccept } });
      expect([status, headers['content-type']], base).toEqual([200, 'application/json']);
    }
  });

  it('says in a header where the documents are', async () => {
    for (const accept of ['application/json', browserAccept]) {
      const { headers } = await server.wire('GET', '/', { headers: { accept } });
      const links = [...String(headers.link).matchAll(/<([^>]+)>; rel="([^"]+)"; type="([^"]+)"/g)];
      expect(links.map(([, , rel]) => rel)).toEqual(['service-doc', 'service-desc', 'service-desc']);
      for (const [, path, , type] of links) {
        const linked = await server.wire('GET', path!);
        expect([linked.status, linked.headers['content-type']], path).toEqual([200, expect.stringContaining(type!)]);
      }
      expect(headers.vary).toBe('Accept');
    }
  });
});

describe('the page with the API documents', () => {
  it('and its files are served to anyone, also to clients with an unknown session', async () => {
    for (const path of documents) {
      const { status, headers } = await server.wire('GET', path, {
        token: 'nothing',
        headers: { accept: 'image/png' },
      });
      expect([status, headers['content-type']], path).toEqual([200, 'text/html; charset=utf-8']);
    }
    for (const [path, type] of Object.entries(files)) {
      const { status, headers } = await server.wire('GET', path);
      expect([status, headers['content-type']], path).toEqual([200, type]);
    }
  });

  it('has a policy that allows no inline script or style, no eval and no other host', async () => {
    const { headers } = await server.wire('GET', '/edge/docs');
    const policy = String(headers['content-security-policy']);
    for (const name of ['default-src', 'object-src', 'base-uri', 'form-action', 'frame-ancestors']) {
      expect(policy.split('; ')).toContain(`${name} 'none'`);
    }
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(headers['x-content-type-options']).toBe('nosniff');
    const other = await server.wire('GET', '/version');
    expect(other.headers['content-security-policy']).toBe(
      "default-src 'none'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
  });

  it('is not sent again while it is the same', async () => {
    for (const path of [...documents, ...Object.keys(files)]) {
      const first = await server.wire('GET', path);
      expect(first.headers['cache-control'], path).toBe('no-cache');
      const again = await server.wire('GET', path, { headers: { 'if-none-match': String(first.headers.etag) } });
      expect([again.status, again.bytes.length, again.headers.etag], path).toEqual([304, 0, first.headers.etag]);
      const head = await server.wire('HEAD', path);
      expect([head.status, head.bytes.length], path).toEqual([200, 0]);
      expect(head.headers['content-length'], path).toBe(String(first.bytes.length));
    }
  });

  it.each([
    '/edge/docs/nothing.js',
    '/edge/docs/index.html',
    '/edge/docs/docs.js/',
    '/edge/docs/%2e%2e/package.json',
    '/edge/docs/..%2f..%2fpackage.json',
    '/edge/docs/....//package.json',
    '/edge/docs/docs.js%00.css',
    '/edge//docs',
    '/edge/Docs',
    '/docs',
  ])('leads to no other file: %s', async (path) => {
    const { status, body } = await server.wire('GET', path);
    expect([status, body.error.code]).toEqual([404, 'NOT_FOUND']);
  });

  it.each(['POST', 'PUT', 'DELETE', 'PATCH'])('takes no %s', async (method) => {
    const { status, headers, body } = await server.wire(method, '/edge/docs');
    expect([status, body.error.code, headers.allow]).toEqual([405, 'METHOD_NOT_ALLOWED', 'HEAD, GET']);
  });
});

describe('in Chromium, with a network that has only the controller', () => {
  it('a reader comes from / to every operation of both APIs', async () => {
    await using browser = await chromium.launch({ executablePath: pathOfChromium(), args: ['--no-sandbox'] });
    const { tab, complaints, foreign } = await openTab(browser);
    for (const [api, title] of [
      ['client', 'Edge Client API'],
      ['management', 'Edge Management API'],
    ] as const) {
      await tab.goto(server.url);
      await tab.getByRole('link', { name: title }).click();
      await tab.waitForSelector('.opblock-tag');
      expect(await tab.textContent('.info .title')).toContain(title);
      expect(await tab.getAttribute('nav [aria-current=page]', 'href')).toContain(`api=${api}`);
      const document: OpenApiDocument = (await server.wire('GET', `/edge/${api}/v1/openapi.json`)).body;
      const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
      expect(await tab.locator('.opblock-tag').count()).toBe(document.tags.length);
      for (const { name } of document.tags as { name: string }[]) {
        // With all of them open, the reader would draw only those on the screen.
        await tab.locator(`#operations-tag-${name}`).click();
        const own = operations.filter(({ tags }) => tags.includes(name));
        expect(await tab.locator('.opblock').count(), name).toBe(own.length);
        if (name === 'authentication') {
          await tab.locator('#operations-authentication-authenticate .opblock-summary-control').click();
          await tab.locator('#operations-authentication-authenticate .responses-table').waitFor();
        }
        await tab.locator(`#operations-tag-${name}`).click();
      }
    }
    expect(await tab.locator('.authorize, .try-out').count()).toBe(0);
    expect({ complaints, foreign }).toEqual({ complaints: [], foreign: [] });
  });

  it('an address with an operation opens it, and any other API is the Client API', async () => {
    await using browser = await chromium.launch({ executablePath: pathOfChromium(), args: ['--no-sandbox'] });
    const { tab, complaints } = await openTab(browser);
    await tab.goto(`${server.url}/edge/docs?api=https://example.com/&url=https://example.com/x.json#/enroll/enroll`);
    await tab.locator('#operations-enroll-enroll.is-open').waitFor({ timeout: 10_000 });
    expect(await tab.textContent('.info .title')).toContain('Edge Client API');
    expect(complaints).toEqual([]);
  });
});

/** A tab that reaches only the controller, and records what it complains about. */
async function openTab(browser: Browser) {
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  const foreign: string[] = [];
  const complaints: string[] = [];
  await context.route('**', (route) => {
    const url = route.request().url();
    if (url.startsWith(`${server.url}/`)) return route.continue();
    foreign.push(url);
    return route.abort();
  });
  await context.addInitScript(
    'document.addEventListener("securitypolicyviolation", (event) => console.error(event.violatedDirective, event.sample))',
  );
  const tab = await context.newPage();
  tab.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  tab.on('pageerror', (error) => complaints.push(String(error)));
  return { tab, complaints, foreign };
}
