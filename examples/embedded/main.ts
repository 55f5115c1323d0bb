import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEdgeClient } from '@edge-controller/sdk/node';
import type { Controller } from '@edge-controller/server';
import { createController } from '@edge-controller/server';
import Koa from 'koa';

const credentials = { username: 'admin', password: randomUUID() };

await withController(async (controller) => {
  // Middleware of your own runs for every request, before the operations of both APIs.
  controller.app.use(async (ctx, next) => {
    if (ctx.path === '/health') {
      ctx.body = { up: true };
      return;
    }
    ctx.set('x-served-by', 'embedded');
    await next();
    const who = ctx.state.session?.principal.name ?? 'nobody yet';
    console.log(`${ctx.method} ${ctx.path} ${ctx.status} by ${who}`);
  });
  controller.events.on('authentication.succeeded', ({ identityId, method }) => {
    console.log(`event: ${identityId} signed in with ${method}`);
  });
  const { url } = await controller.listen();
  console.log(`the controller of this process listens on ${url}`);
  await listIdentities(url, controller.caFile);
});

await withController(async (controller) => {
  // A Koa application of your own: the controller is one of its middleware and leaves all other paths to yours.
  const app = new Koa();
  app.use(controller.middleware());
  app.use((ctx) => {
    ctx.body = `this is the page ${ctx.path}`;
  });
  // A server of your own: `tlsOptions` has the server certificate and keeps client certificates working.
  // Without an application of your own, `controller.callback()` takes the place of `app.callback()`.
  const server = createServer({ ...controller.tlsOptions }, app.callback());
  // No client can stop the process with a costly handshake.
  controller.guardHandshakes(server);
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  const url = `https://localhost:${(server.address() as AddressInfo).port}`;
  console.log(`the controller is mounted in a server on ${url}`);
  await listIdentities(url, controller.caFile);
  await new Promise((resolve) => server.close(resolve));
});
console.log('closed');

async function withController(work: (controller: Controller) => Promise<void>): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'edge-embedded-'));
  const controller = await createController({
    port: 0,
    dataDir,
    adminUsername: credentials.username,
    adminPassword: credentials.password,
    logLevel: 'warn',
  });
  try {
    await work(controller);
  } finally {
    await controller.close();
    await rm(dataDir, { recursive: true });
  }
}

async function listIdentities(url: string, caFile: string): Promise<void> {
  const edge = createEdgeClient(url, { caFile });
  const session = await edge.signIn.password(credentials);
  console.log(`signed in as ${session.identity.name}`);
  const { data } = await edge.management.identities.list();
  console.log(`identities: ${data.map(({ name }) => name).join(', ')}`);
  await edge.signOut();
}
