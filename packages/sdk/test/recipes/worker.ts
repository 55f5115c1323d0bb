import type { SessionVerifier } from '@edge-controller/sdk/backend';
import { createSessionVerifier } from '@edge-controller/sdk/backend';

interface Settings {
  readonly EDGE_URL: string;
}

/** Lives as long as the worker does, so that requests share what the controller has said. */
let verifier: SessionVerifier | undefined;

export default {
  async fetch(request: Request, { EDGE_URL }: Settings): Promise<Response> {
    verifier ??= createSessionVerifier({ controller: EDGE_URL });
    const { session, headers, response } = await verifier.verifyRequest(request);
    if (response) return response;
    return new Response(`Hello ${session.identity.name}`, { headers });
  },
};
