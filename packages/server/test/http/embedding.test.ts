import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { Server } from 'node:https';
import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import Koa from 'koa';
import { describe, expect, it } from 'vitest';
import type { Controller } from '../../src/index.ts';
import { createController, createLogger } from '../../src/index.ts';
import type { ClientChain } from '../support/client-chain.ts';
import { createClientChain } from '../support/client-chain.ts';
import { adminCredentials } from '../support/controller.ts';

const signIn = '/edge/client/v1/authenticate?method=password';
const session = '/edge/client/v1/current-api-session';

interface Embedded extends AsyncDisposable {
  readonly controller: Controller;
}

async function embed(): Promise<Embedded> {
  const dataDir = mkdtempSync(join(tmpdir(), 'edge-embedding-'));
  const controller = await createController({
    port: 0,
    dataDir,
    adminUsername: adminCredentials.username,
    adminPassword: adminCredentials.password,
    log: createLogger({ level: 'silent' }),
  });
  return {
    controller,
    async [Symbol.asyncDispose]() {
      await controller.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

interface Call {
  readonly method?: string;
  readonly headers?: Record<string, string | string[]>;
  readonly body?: unknown;
  readonly tls?: { key: string; cert: string };
}

function call(url: string, ca: string, { method = 'GET', headers = {}, body, tls }: Call = {}) {
  // biome-ignore lint/suspicious/noExplicitAny: tests read members of responses that are not what they should be
  return new Promise<{ status: number; headers: Record<string, unknown>; text: string; json: any }>(
    (resolve, reject) => {
      const sent = body === undefined ? {} : { 'content-type': 'application/json' };
      const outgoing = request(
        url,
        { method, ca, agent: false, headers: { ...sent, ...headers }, ...tls },
        (incoming) => {
          let text = '';
          incoming.on('data', (chunk) => (text += chunk));
          incoming.on('end', () => {
            const json = text.startsWith('{') ? JSON.parse(text) : null;
            resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text, json });
          });
        },
      );
      outgoing.on('error', reject);
      outgoing.end(body === undefined ? undefined : JSON.stringify(body));
    },
  );
}

async function serve(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `https://localhost:${(server.address() as AddressInfo).port}`;
}

/** What a middleware of the embedder saw of the credentials of the last request. */
function watchCredentials(app: Koa) {
  const none: readonly Buffer[] = [];
  const seen = { certificates: none, sentCertificates: none, bearerTokens: [] as readonly string[] };
  app.use(async (ctx, next) => {
    await next();
    const { credentials } = ctx.state;
    if (!credentials) return;
    const { certificates, sentCertificates, bearerTokens } = credentials;
    Object.assign(seen, { certificates, sentCertificates, bearerTokens });
  });
  return seen;
}

describe('middleware that is added to controller.app', () => {
  it('runs for every request, sees the identity, sets headers and may change the response', async () => {
    await using embedded = await embed();
    const { controller } = embedded;
    const log: string[] = [];
    controller.app.use(async (ctx, next) => {
      ctx.set('x-served-by', 'my service');
      await next();
      log.push(`${ctx.status} ${ctx.state.session?.principal.name}`);
      if (ctx.path.endsWith('/version')) ctx.body = { ...JSON.parse(ctx.body as string), mine: true };
    });
    const { url } = await controller.listen();
    const ca = readFileSync(controller.caFile, 'utf8');
    const signedIn = await call(url + signIn, ca, { method: 'POST', body: adminCredentials });
    expect([signedIn.status, signedIn.headers['x-served-by']]).toEqual([200, 'my service']);
    const { token } = signedIn.json.data;
    expect((await call(url + session, ca, { headers: { 'svc-session': token } })).status).toBe(200);
    expect((await call(`${url}/version`, ca)).json).toMatchObject({ data: { apiVersions: {} }, mine: true });
    expect(log).toEqual(['200 undefined', '200 Default Admin', '200 undefined']);
  });

  it('serves routes of its own, inside the error envelope and the security headers', async () => {
    await using embedded = await embed();
    const { controller } = embedded;
    controller.app.use(async (ctx, next) => {
      if (ctx.path === '/health') ctx.body = { up: true };
      else if (ctx.path === '/teapot') ctx.throw(418, 'short and stout');
      else if (ctx.path === '/broken') throw new Error('a secret detail');
      else if (ctx.path === '/away') ctx.throw(503, 'a secret detail');
      else if (ctx.path === '/own') throw Object.assign(new Error('a secret detail'), { status: 409 });
      else if (ctx.path === '/shown') throw Object.assign(new Error('shown'), { status: 409, expose: true });
      else await next();
    });
    const { url } = await controller.listen();
    const ca = readFileSync(controller.caFile, 'utf8');
    const health = await call(`${url}/health`, ca);
    expect([health.status, health.json, health.headers['x-content-type-options']]).toEqual([
      200,
      { up: true },
      'nosniff',
    ]);
    const teapot = await call(`${url}/teapot`, ca);
    expect([teapot.status, teapot.json.error]).toEqual([
      418,
      expect.objectContaining({ code: 'UNHANDLED', message: 'short and stout' }),
    ]);
    const shown = await call(`${url}/shown`, ca);
    expect([shown.status, shown.json.error.message]).toEqual([409, 'shown']);
    for (const path of ['/broken', '/away', '/own']) {
      const { status, json, text } = await call(url + path, ca);
      expect([path, status, json.error.code, text.includes('secret')]).toEqual([path, 500, 'UNHANDLED', false]);
    }
    const unknown = await call(`${url}/nothing`, ca);
    expect([unknown.status, unknown.json.error.code]).toEqual([404, 'NOT_FOUND']);
  });
});

describe('the controller mounted in a server of the embedder', () => {
  it('signs in over node:https, with the certificate chain of the connection in the credentials', async () => {
    await using embedded = await embed();
    const { controller } = embedded;
    const ca = readFileSync(controller.caFile, 'utf8');
    const seen = watchCredentials(controller.app);
    const server = createServer({ ...controller.tlsOptions }, controller.callback());
    controller.guardHandshakes(server);
    const url = await serve(server);
    const chain = createClientChain(2);
    try {
      for (const order of [
        [0, 1, 2],
        [0, 2, 1],
      ]) {
        const tls = { key: chain.key, cert: chain.pem(...order) };
        const { status } = await call(url + signIn, ca, { method: 'POST', body: adminCredentials, tls });
        expect(status).toBe(200);
        expect(seen.sentCertificates).toEqual(order.map((at) => chain.der[at]));
      }
      await call(`${url}/version`, ca);
      expect(seen.certificates).toEqual([]);
    } finally {
      server.close();
    }
  });

  it('signs in as middleware of a Koa application, which serves all other paths', async () => {
    await using embedded = await embed();
    const { controller } = embedded;
    const ca = readFileSync(controller.caFile, 'utf8');
    const app = new Koa();
    const seen = watchCredentials(app);
    app.use(controller.middleware());
    app.use((ctx) => {
      if (ctx.path === '/own') ctx.body = 'mine';
    });
    const server = createServer({ ...controller.tlsOptions }, app.callback());
    const url = await serve(server);
    const chain = createClientChain(1);
    try {
      const tls = { key: chain.key, cert: chain.pem(0, 1) };
      const signedIn = await call(url + signIn, ca, { method: 'POST', body: adminCredentials, tls });
      expect([signedIn.status, seen.certificates]).toEqual([200, chain.der]);
      const own = await call(`${url}/own`, ca);
      // A page of the embedder keeps headers of its own.
      expect([own.text, own.headers['content-security-policy']]).toEqual(['mine', undefined]);
      const ownUnknown = await call(`${url}/version`, ca);
      expect([ownUnknown.status, ownUnknown.text]).toEqual([404, 'Not Found']);
      const unknown = await call(`${url}/edge/client/v1/nothing`, ca);
      expect([unknown.status, unknown.json.error.code]).toEqual([404, 'NOT_FOUND']);
      expect((await call(`${url}/edge/client/v1/version`, ca, { method: 'POST' })).status).toBe(405);
      expect((await call(`${url}/.well-known/est/cacerts`, ca)).status).toBe(200);
      const page = await call(`${url}/edge/docs`, ca);
      expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    } finally {
      server.close();
    }
  });
});

describe('the credentials of a request', () => {
  it('have the certificates of the connection that listen() opened, and none of a chain that is too long', async () => {
    await using embedded = await embed();
    const { controller } = embedded;
    const seen = watchCredentials(controller.app);
    const { url } = await controller.listen();
    const ca = readFileSync(controller.caFile, 'utf8');
    const present = async (chain: ClientChain, indexes: readonly number[]) => {
      await call(`${url}/version`, ca, { tls: { key: chain.key, cert: chain.pem(...indexes) } });
      return seen.sentCertificates;
    };
    const chain = createClientChain(10);
    expect(await present(chain, [0])).toEqual([chain.der[0]]);
    expect(await present(chain, [0, 3, 1, 2])).toEqual([0, 3, 1, 2].map((at) => chain.der[at]));
    expect(await present(chain, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10])).toEqual([]);
  });

  it('have every bearer token in order, at most three, with the prefix as the wire writes it', async () => {
    await using embedded = await embed();
    const { controller } = embedded;
    const seen = watchCredentials(controller.app);
    const { url } = await controller.listen();
    const ca = readFileSync(controller.caFile, 'utf8');
    const authorization = ['Bearer one', 'bearer small', 'Basic dXNlcg==', 'Bearer two', 'Bearer three', 'Bearer four'];
    await call(`${url}/version`, ca, { headers: { authorization } });
    expect(seen.bearerTokens).toEqual(['one', 'two', 'three']);
  });

  it('have no certificate of a resumed TLS session', async () => {
    await using embedded = await embed();
    const { controller } = embedded;
    const ca = readFileSync(controller.caFile, 'utf8');
    const seen = watchCredentials(controller.app);
    const { secureOptions: _tickets, ...options } = controller.tlsOptions;
    const server = createServer({ ...options, maxVersion: 'TLSv1.2' }, controller.callback());
    const url = await serve(server);
    const chain = createClientChain(1);
    const tls = { host: 'localhost', port: Number(new URL(url).port), ca, key: chain.key, cert: chain.pem(0, 1) };
    /** One request on a connection of its own; `resume`: the TLS session to continue. */
    const exchange = (resume?: Buffer) =>
      new Promise<{ isReused: boolean; session: Buffer | undefined }>((resolve, reject) => {
        const result = { isReused: false, session: undefined as Buffer | undefined };
        const socket = connect({ ...tls, ...(resume && { session: resume }) }, () => {
          result.isReused = socket.isSessionReused();
          socket.write('GET /version HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
        });
        socket.on('session', (ticket) => {
          result.session = ticket;
        });
        socket
          .on('data', () => {})
          .on('error', reject)
          .on('close', () => resolve(result));
      });
    try {
      const first = await exchange();
      expect([first.isReused, seen.certificates]).toEqual([false, chain.der]);
      const second = await exchange(first.session);
      expect([second.isReused, seen.certificates]).toEqual([true, []]);
    } finally {
      server.close();
    }
  });
});
