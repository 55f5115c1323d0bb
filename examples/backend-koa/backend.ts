import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SessionVerifier, VerifiedSession } from '@edge-controller/sdk/backend';
import { createSessionVerifier, koaSession } from '@edge-controller/sdk/backend';
import Koa from 'koa';
import { greetSockets } from './greet-sockets.ts';

export interface Backend {
  readonly origin: string;
  close(): void;
}

/** A backend that greets its user. It knows that a session has ended after at most `maxAge` milliseconds. */
export async function startBackend(controller: string, caFile: string, maxAge: number): Promise<Backend> {
  const verifier = createSessionVerifier({ controller, caFile, maxAge });
  const app = new Koa<{ edgeSession: VerifiedSession }>();
  app.use(koaSession(verifier, { onError: (error, requestId) => console.error(requestId, error.message) }));
  app.use((ctx) => {
    if (ctx.path === '/hello') ctx.body = `Hello ${ctx.state.edgeSession.identity.name}`;
    if (ctx.path !== '/events') return;
    ctx.type = 'text/event-stream';
    ctx.set('Cache-Control', 'no-store');
    ctx.body = Readable.from(eventsFor(ctx.get(verifier.sessionHeader), verifier));
  });
  const server = createServer(app.callback()).listen(0, 'localhost');
  await once(server, 'listening');
  const sockets = greetSockets(server, verifier);
  const close = () => {
    sockets.close();
    server.close();
  };
  return { origin: `http://localhost:${(server.address() as AddressInfo).port}`, close };
}

/** A stream may outlive the session of its user, so the session is verified before each event. */
async function* eventsFor(token: string, verifier: SessionVerifier): AsyncGenerator<string> {
  for (let count = 1; (await verifier.verifySession(token)) !== null; count += 1) {
    yield `data: event ${count}\n\n`;
    await sleep(200);
  }
}
