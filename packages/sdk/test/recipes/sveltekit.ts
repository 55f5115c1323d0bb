import type { VerifiedSession } from '@edge-controller/sdk/backend';
import { createSessionVerifier } from '@edge-controller/sdk/backend';
import type { Handle } from '@sveltejs/kit/hooks';

declare global {
  namespace App {
    interface Locals {
      edgeSession: VerifiedSession;
    }
  }
}

const { EDGE_URL = 'https://localhost:1280', EDGE_CA: caFile } = process.env;
const verifier = createSessionVerifier({ controller: EDGE_URL, caFile });

export const handle: Handle = async ({ event, resolve }) => {
  // The route, and not the path, which may be encoded in several ways.
  if (!event.route.id?.startsWith('/api/')) return resolve(event);
  const { session, headers, response } = await verifier.verifyRequest(event.request);
  if (response) return response;
  event.locals.edgeSession = session;
  const resolved = await resolve(event);
  for (const [name, value] of Object.entries(headers)) resolved.headers.append(name, value);
  return resolved;
};
