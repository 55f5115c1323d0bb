import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RequestEvent } from '@sveltejs/kit';
import { createApp, createRouter, toNodeListener } from 'h3';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startTestController } from '../src/testing/start-test-controller.ts';
import type { TestController } from '../src/testing/test-controller.ts';
import { bundleForWorkers } from './support/bundle.ts';
import { startWorker } from './support/workerd.ts';

interface Backend extends AsyncDisposable {
  readonly fetch: (headers: Record<string, string>) => Promise<Response>;
}

const url = 'https://backend.example/api/hello';

/** Calls a handler that gets a `Request` as the framework does. */
function called(handler: (request: Request) => Response | Promise<Response>): Backend {
  return {
    fetch: async (headers) => handler(new Request(url, { headers })),
    async [Symbol.asyncDispose]() {},
  };
}

/** A module reads the address of the controller when it is loaded. */
const recipes: Record<string, (controller: TestController) => Promise<Backend>> = {
  async fastify() {
    const { app } = await import('./recipes/fastify.ts');
    const origin = await app.listen({ host: '127.0.0.1', port: 0 });
    return {
      fetch: (headers) => fetch(`${origin}/hello`, { headers }),
      [Symbol.asyncDispose]: () => app.close(),
    };
  },
  async next() {
    const { GET } = await import('./recipes/next.ts');
    return called(GET);
  },
  async sveltekit() {
    const { handle } = await import('./recipes/sveltekit.ts');
    const resolve = async ({ locals }: RequestEvent) => new Response(`Hello ${locals.edgeSession.identity.name}`);
    return called((request) => {
      const event = { request, route: { id: '/api/hello' }, locals: {} } as RequestEvent;
      return handle({ event, resolve });
    });
  },
  async nuxt() {
    const { default: handler } = await import('./recipes/nuxt.ts');
    const app = createApp().use(createRouter().get('/api/hello', handler));
    const server = createServer(toNodeListener(app)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    return {
      fetch: (headers) => fetch(`http://127.0.0.1:${port}/api/hello`, { headers }),
      async [Symbol.asyncDispose]() {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      },
    };
  },
  async astro() {
    const { GET } = await import('./recipes/astro.ts');
    return called((request) => GET({ request }));
  },
  async worker({ url: EDGE_URL, ca }) {
    const { code } = await bundleForWorkers("export { default } from '../test/recipes/worker.ts'");
    const worker = await startWorker({ code, settings: { EDGE_URL }, ca });
    return Object.assign(worker, { fetch: (headers: Record<string, string>) => fetch(worker.url, { headers }) });
  },
};

const documented = readFileSync(new URL('../../../docs/backends.md', import.meta.url), 'utf8');
const folder = new URL('recipes/', import.meta.url);

test('every recipe stands in docs/backends.md as it is run here, and is run here', () => {
  const files = readdirSync(folder);
  expect(files.map((name) => name.replace('.ts', '')).sort()).toEqual(Object.keys(recipes).sort());
  const blocks = [...documented.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, code = '']) => code);
  const texts = files.map((name) => readFileSync(new URL(name, folder), 'utf8'));
  expect(texts.filter((text) => !blocks.includes(text))).toEqual([]);
});

describe.each(Object.keys(recipes))('the recipe %s', (name) => {
  let controller: TestController;
  let backend: Backend;
  beforeAll(async () => {
    controller = await startTestController();
    vi.stubEnv('EDGE_URL', controller.url);
    vi.stubEnv('EDGE_CA', controller.caFile);
    backend = await recipes[name]!(controller);
    vi.unstubAllEnvs();
  });
  afterAll(async () => {
    await backend[Symbol.asyncDispose]();
    await controller[Symbol.asyncDispose]();
  });

  test('serves a full session, refuses others, and says when it cannot tell', async () => {
    const ada = await controller.createIdentity({ name: 'Ada Lovelace' });
    const edge = await ada.signIn();
    const tokenOf = async ({ client }: typeof edge) => (await client.currentApiSession.get()).token;
    const token = await tokenOf(edge);
    const served = await backend.fetch({ 'svc-session': token });
    expect([served.status, await served.text()]).toEqual([200, 'Hello Ada Lovelace']);
    expect(Number(served.headers.get('svc-session-expires-in'))).toBeGreaterThan(1_700);
    expect(served.headers.get('access-control-expose-headers')).toBe('svc-session-expires-in');
    expect(served.headers.get('vary')).toContain('svc-session');

    const { verify, provisioningUrl } = await edge.mfa.enroll();
    await verify(controller.totp(provisioningUrl));
    const partial = await tokenOf(await ada.signIn());
    for (const [error, headers] of Object.entries({
      ...{ missing: {}, invalid: { 'svc-session': 'unknown' }, partial: { 'svc-session': partial } },
    })) {
      const refused = await backend.fetch(headers);
      expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
        401,
        expect.stringContaining(`error="${error}"`),
      ]);
      expect(await refused.json()).toMatchObject({ error: { code: 'UNAUTHORIZED' } });
    }

    await controller[Symbol.asyncDispose]();
    const away = await backend.fetch({ 'svc-session': 'another' });
    expect([away.status, away.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await away.json()).toMatchObject({ error: { code: 'CONTROLLER_UNAVAILABLE' } });
  });
});
