import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { VerifiedSession } from '@edge-controller/sdk/backend';
import { createSessionVerifier, honoSession } from '@edge-controller/sdk/backend';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { cors } from 'hono/cors';

export interface Backend {
  readonly origin: string;
  close(): void;
}

/** A backend that greets its user. It knows that a session has ended after at most `maxAge` milliseconds. */
export async function startBackend(controller: string, caFile: string, maxAge: number): Promise<Backend> {
  const verifier = createSessionVerifier({ controller, caFile, maxAge });
  const app = new Hono<{ Variables: { edgeSession: VerifiedSession } }>();
  // For pages of another origin. A preflight has no token, so this goes first.
  app.use(cors({ origin: 'https://app.example', allowHeaders: [verifier.sessionHeader] }));
  app.use(honoSession(verifier, { onError: (error, requestId) => console.error(requestId, error.message) }));
  app.get('/hello', (c) => c.text(`Hello ${c.get('edgeSession').identity.name}`));
  const server = serve({ fetch: app.fetch, port: 0, hostname: 'localhost' });
  if (!server.listening) await once(server, 'listening');
  return { origin: `http://localhost:${(server.address() as AddressInfo).port}`, close: () => void server.close() };
}
