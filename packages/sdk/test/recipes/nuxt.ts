import { createSessionVerifier } from '@edge-controller/sdk/backend';
import { appendResponseHeaders, defineEventHandler } from 'h3';

const { EDGE_URL = 'https://localhost:1280', EDGE_CA: caFile } = process.env;
const verifier = createSessionVerifier({ controller: EDGE_URL, caFile });

export default defineEventHandler(async (event) => {
  const { session, headers, response } = await verifier.verifyRequest(event);
  if (response) return response;
  appendResponseHeaders(event, headers);
  return `Hello ${session.identity.name}`;
});
