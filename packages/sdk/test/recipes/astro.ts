import { createSessionVerifier } from '@edge-controller/sdk/backend';

const { EDGE_URL = 'https://localhost:1280', EDGE_CA: caFile } = process.env;
const verifier = createSessionVerifier({ controller: EDGE_URL, caFile });

export const prerender = false;

export async function GET({ request }: { readonly request: Request }): Promise<Response> {
  const { session, headers, response } = await verifier.verifyRequest(request);
  if (response) return response;
  return new Response(`Hello ${session.identity.name}`, { headers });
}
