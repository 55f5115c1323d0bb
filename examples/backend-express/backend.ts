import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createSessionVerifier, expressSession } from '@edge-controller/sdk/backend';
import express from 'express';

export interface Backend {
  readonly origin: string;
  close(): void;
}

/** A backend that greets its user. It knows that a session has ended after at most `maxAge` milliseconds. */
export async function startBackend(controller: string, caFile: string, maxAge: number): Promise<Backend> {
  const verifier = createSessionVerifier({ controller, caFile, maxAge });
  const app = express();
  app.use(expressSession(verifier, { onError: (error, requestId) => console.error(requestId, error.message) }));
  app.get('/hello', (request, response) => {
    response.send(`Hello ${request.edgeSession?.identity.name}`);
  });
  const server = app.listen(0, 'localhost');
  await once(server, 'listening');
  return { origin: `http://localhost:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}
