import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { Hono } from 'hono';
import { cors } from 'hono/cors';
import Koa from 'koa';
import { describe, expect, it } from 'vitest';
import { refuse, scriptedController, scriptedServer } from '../../test/support/scripted-server.ts';
import { createEdgeClient } from '../client/create-edge-client.ts';
import { createSessionVerifier } from './create-session-verifier.ts';
import { expressSession } from './express-session.ts';
import { honoSession } from './hono-session.ts';
import { koaSession } from './koa-session.ts';
import type { EdgeSessionOptions, SessionVerifier } from './session-verifier.ts';
import type { PartialVerifiedSession, VerifiedSession } from './verified-session.ts';

/** An application that greets its user, and sends `Vary: Origin` as CORS middleware does. */
interface Backend extends AsyncDisposable {
  readonly origin: string;
  readonly fetch: (headers?: Record<string, string>, path?: string) => Promise<Response>;
}

type StartBackend = (verifier: SessionVerifier, options?: EdgeSessionOptions) => Promise<Backend>;

const greet = (session: VerifiedSession | PartialVerifiedSession | null | undefined) =>
  `Hello ${session === null ? 'guest' : session?.identity.name}`;

async function listen(listener: RequestListener): Promise<Backend> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    fetch: (headers = {}, path = '') => fetch(origin + path, { headers }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const frameworks: { name: string; start: StartBackend }[] = [
  {
    name: 'Koa',
    start: (verifier, options) => {
      const app = new Koa<{ edgeSession: VerifiedSession | null }>();
      app.silent = true;
      app.use((ctx, next) => {
        ctx.vary('Origin');
        ctx.set('Access-Control-Expose-Headers', 'ETag');
        return next();
      });
      app.use(koaSession(verifier, options));
      app.use((ctx) => {
        if (ctx.path === '/later') ctx.set('Access-Control-Expose-Headers', 'Link,X-Total');
        ctx.body = greet(ctx.state.edgeSession);
      });
      return listen(app.callback());
    },
  },
  {
    name: 'Express',
    start: (verifier, options) => {
      const app = express();
      app.set('env', 'test');
      app.use((_request, response, next) => {
        response.vary('Origin').set('Access-Control-Expose-Headers', 'ETag');
        next();
      });
      app.use(expressSession(verifier, options), (request, response) => {
        if (request.path === '/later') response.set('Access-Control-Expose-Headers', 'Link,X-Total');
        response.send(greet(request.edgeSession));
      });
      return listen(app);
    },
  },
  {
    name: 'Hono',
    start: async (verifier, options) => {
      const app = new Hono<{ Variables: { edgeSession: VerifiedSession | null } }>();
      app.use(cors({ origin: 'https://app.example', allowHeaders: ['svc-session'], exposeHeaders: ['ETag'] }));
      app.use(honoSession(verifier, options));
      app.get('/', (c) => c.text(greet(c.get('edgeSession'))));
      app.get('/later', cors({ origin: 'https://app.example', exposeHeaders: ['Link', 'X-Total'] }), (c) =>
        c.text(greet(c.get('edgeSession'))),
      );
      app.onError((_error, c) => c.text('failed', 500));
      const origin = 'http://backend.example';
      return {
        origin,
        fetch: async (headers = {}, path = '') => app.request(origin + path, { headers }),
        async [Symbol.asyncDispose]() {},
      };
    },
  },
];

const varyOf = ({ headers }: Response) => headers.get('vary')?.toLowerCase().split(/, ?/).sort();

const challenge = (error: string) =>
  new RegExp(`^svc-session realm="svc-session" error="${error}" error_description="[^"]+"$`);

describe.each(frameworks)('middleware for $name', ({ start }) => {
  it('gives the handlers the session of the request', async () => {
    await using controller = await scriptedController();
    controller.live.add('good');
    await using app = await start(createSessionVerifier({ controller: controller.url }));
    const response = await app.fetch({ 'svc-session': 'good' });
    expect([response.status, await response.text()]).toEqual([200, 'Hello alice']);
    expect(response.headers.get('cache-control')).toBeNull();
    // A shared cache must not send it to somebody else.
    expect(varyOf(response)).toEqual(['origin', 'svc-session']);
  });

  it('tells the client when the session ends, and keeps what other middleware exposes', async () => {
    await using controller = await scriptedController();
    controller.live.add('good');
    controller.settings.detail = { expirationSeconds: 90 };
    const time = { now: 1_000_000 };
    const clock = () => time.now;
    await using app = await start(createSessionVerifier({ controller: controller.url, clock }), { optional: true });
    const headersFor = async (headers: Record<string, string>, path: string) => {
      const response = await app.fetch(headers, path);
      return ['svc-session-expires-in', 'access-control-expose-headers'].map((name) => response.headers.get(name));
    };
    expect(await headersFor({ 'svc-session': 'good' }, '/')).toEqual(['90', 'ETag, svc-session-expires-in']);
    time.now += 1_500;
    expect(await headersFor({ 'svc-session': 'good' }, '/later')).toEqual([
      '88',
      expect.stringMatching(/^(ETag, )?Link, ?X-Total, svc-session-expires-in$/),
    ]);
    expect(await headersFor({}, '/')).toEqual([null, 'ETag']);
    expect(await headersFor({ 'svc-session': 'unknown' }, '/')).toEqual([null, 'ETag']);
    controller.settings.detail = { expirationSeconds: undefined, expiresAt: undefined };
    controller.live.add('endless');
    expect(await headersFor({ 'svc-session': 'endless' }, '/')).toEqual([null, 'ETag']);
  });

  it('refuses requests without a valid token with the envelope of the API', async () => {
    await using controller = await scriptedController();
    await using app = await start(createSessionVerifier({ controller: controller.url }));
    for (const [headers, error] of [
      [{}, 'missing'],
      [{ 'svc-session': 'unknown' }, 'invalid'],
      [{ 'svc-session': 'not, a token' }, 'invalid'],
    ] as const) {
      const response = await app.fetch(headers);
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toMatch(challenge(error));
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.headers.get('content-type')).toMatch(/^application\/json/);
      expect(varyOf(response)).toEqual(['origin', 'svc-session']);
      expect(await response.json()).toEqual({
        error: {
          ...{ code: 'UNAUTHORIZED', message: expect.any(String), requestId: expect.any(String) },
          cause: { code: 'UNHANDLED', message: expect.any(String) },
        },
        meta: { apiEnrollmentVersion: '0.0.1', apiVersion: '0.0.1' },
      });
    }
  });

  it('refuses a partial session, unless the options allow it', async () => {
    await using controller = await scriptedController();
    controller.live.add('good');
    controller.settings.detail = { authQueries: [{ typeId: 'MFA' }] };
    const verifier = createSessionVerifier({ controller: controller.url });
    await using strict = await start(verifier);
    const refused = await strict.fetch({ 'svc-session': 'good' });
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringMatching(challenge('partial')),
    ]);
    await using lenient = await start(verifier, { allowPartial: true });
    expect((await lenient.fetch({ 'svc-session': 'good' })).status).toBe(200);
  });

  it('with `optional`, lets requests without a token pass, and refuses invalid tokens', async () => {
    await using controller = await scriptedController();
    await using app = await start(createSessionVerifier({ controller: controller.url }), { optional: true });
    expect(await (await app.fetch()).text()).toBe('Hello guest');
    expect((await app.fetch({ 'svc-session': 'unknown' })).status).toBe(401);
  });

  it('sends 503 when the controller cannot be asked, and tells only the operator why', async () => {
    const errors: [Error, string][] = [];
    const onError = (error: Error, requestId: string) => void errors.push([error, requestId]);
    await using controller = await scriptedServer((_seen, response) =>
      refuse(response, 503, 'STORE_UNAVAILABLE', { 'retry-after': '7' }),
    );
    await using app = await start(createSessionVerifier({ controller: controller.url }), { onError });
    const response = await app.fetch({ 'svc-session': 'good' });
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '7']);
    expect(response.headers.get('www-authenticate')).toBeNull();
    expect(response.headers.get('cache-control')).toBe('no-store');
    const { error } = (await response.json()) as { error: { code: string; requestId: string } };
    expect(error).toMatchObject({ code: 'CONTROLLER_UNAVAILABLE', requestId: errors[0]?.[1] });
    expect(errors[0]?.[0]).toMatchObject({ code: 'STORE_UNAVAILABLE' });

    await using alone = await start(createSessionVerifier({ controller: 'http://127.0.0.1:1' }), { onError });
    const down = await alone.fetch({ 'svc-session': 'good' });
    expect([down.status, down.headers.get('retry-after')]).toEqual([503, '1']);
    expect(errors[1]?.[0]).toMatchObject({ name: 'EdgeNetworkError' });
  });

  it('gives the framework an error that is not of the controller', async () => {
    const verifier = createSessionVerifier({ controller: 'https://localhost', caFile: 'no-such-file.pem' });
    await using app = await start(verifier);
    expect((await app.fetch({ 'svc-session': 'good' })).status).toBe(500);
  });

  it('sends the JWT of `Authorization` to the controller only when asked to', async () => {
    await using controller = await scriptedController();
    controller.live.add('good');
    const verifier = createSessionVerifier({ controller: controller.url });
    const headers = { 'svc-session': 'good', authorization: 'Bearer e30.e30.jwt' };
    await using without = await start(verifier);
    expect((await without.fetch(headers)).status).toBe(200);
    await using forwarding = await start(verifier, { secondaryToken: true });
    expect((await forwarding.fetch(headers)).status).toBe(200);
    expect(controller.seen.map((seen) => seen.headers.authorization)).toEqual([undefined, 'Bearer e30.e30.jwt']);
  });
});

it('reads a header of another name and challenges for it', async () => {
  const app = new Hono();
  app.use(honoSession(createSessionVerifier({ controller: 'http://127.0.0.1:1', sessionHeader: 'Zt-Session' })));
  const response = await app.request('/', { headers: { 'svc-session': 'good' } });
  expect(response.headers.get('www-authenticate')).toContain('zt-session realm="zt-session" error="missing"');
  expect(response.headers.get('vary')).toBe('zt-session');
});

it('greets a user of the SDK, whose session the refusal of a backend does not end', async () => {
  await using controller = await scriptedController();
  const verifier = createSessionVerifier({ controller: controller.url });
  const app = new Koa<{ edgeSession: VerifiedSession }>();
  app.use(koaSession(verifier));
  app.use((ctx) => {
    ctx.body = greet(ctx.state.edgeSession);
  });
  await using backend = await listen(app.callback());
  const edge = createEdgeClient(controller.url, { origins: [backend.origin] });
  expect((await edge.fetch(backend.origin)).status).toBe(401);
  await edge.signIn.password({ username: 'alice', password: 'a password of alice' });
  expect(await (await edge.fetch(backend.origin)).text()).toBe('Hello alice');
  await using strange = await scriptedServer((_seen, response) =>
    refuse(response, 401, 'UNAUTHORIZED', { 'www-authenticate': 'svc-session realm="svc-session" error="invalid"' }),
  );
  const other = createEdgeClient(controller.url, { origins: [strange.url] });
  await other.signIn.password({ username: 'alice', password: 'a password of alice' });
  expect((await other.fetch(strange.url)).status).toBe(401);
  expect(await other.client.currentApiSession.get()).toMatchObject({ identityId: 'identity-1' });
  expect(other.session).not.toBeNull();
});

it('fits applications with and without types of their own, and gives the session its type', () => {
  const verifier = createSessionVerifier({ controller: 'https://localhost:1280' });
  new Koa().use(koaSession(verifier));
  new Koa<{ user: string }, { log: () => void }>().use(koaSession(verifier));
  new Koa<{ edgeSession: VerifiedSession }>().use(koaSession(verifier)).use((ctx) => {
    // @ts-expect-error: a session has no such member
    ctx.body = ctx.state.edgeSession.nothing;
  });
  new Hono<{ Bindings: { KEY: string }; Variables: { user: string } }>().use('/api/*', honoSession(verifier));
  new Hono<{ Variables: { edgeSession: VerifiedSession } }>().get('/', honoSession(verifier), (c) =>
    // @ts-expect-error: a session has no such member
    c.text(c.get('edgeSession').nothing),
  );
  express()
    .use('/api', expressSession(verifier))
    .get('/:id', expressSession(verifier), (request, response) => {
      response.send(request.edgeSession?.identity.name);
      // @ts-expect-error: a session has no such member
      response.send(request.edgeSession?.nothing);
    });
  express.Router().use(expressSession(verifier));
});
