import type { VerifiedSession } from '@edge-controller/sdk/backend';
import { createSessionVerifier } from '@edge-controller/sdk/backend';
import Fastify from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    edgeSession: VerifiedSession;
  }
}

const { EDGE_URL = 'https://localhost:1280', EDGE_CA: caFile } = process.env;
const verifier = createSessionVerifier({ controller: EDGE_URL, caFile });

export const app = Fastify();
app.decorateRequest('edgeSession');
// CORS goes before it: a preflight has no token.
app.addHook('onRequest', async (request, reply) => {
  const { session, headers, response } = await verifier.verifyRequest(request);
  if (response) return reply.send(response);
  request.edgeSession = session;
  for (const [name, value] of Object.entries(headers)) {
    reply.header(name, [reply.getHeader(name) ?? [], value].flat().join(', '));
  }
});
app.get('/hello', async (request) => `Hello ${request.edgeSession.identity.name}`);
