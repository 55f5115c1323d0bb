import type { EdgeClient, Session } from '@edge-controller/sdk';
import { createEdgeClient, isEdgeApiError } from '@edge-controller/sdk';

/** The settings of the worker. */
interface Settings {
  readonly EDGE_URL: string;
  readonly EDGE_USERNAME: string;
  readonly EDGE_PASSWORD: string;
}

/** Lives as long as the worker does, so that requests share the API session. */
let client: EdgeClient | undefined;

async function signedIn({ EDGE_URL, EDGE_USERNAME: username, EDGE_PASSWORD: password }: Settings): Promise<EdgeClient> {
  const signIn = (): Promise<Session> => edge.signIn.password({ username, password });
  const edge: EdgeClient = client ?? createEdgeClient(EDGE_URL, { reauthenticate: signIn });
  client = edge;
  if (edge.session === null) await signIn();
  return edge;
}

// biome-ignore lint/style/noDefaultExport: worker runtimes take the default export.
export default {
  /** Responds with the names of the identities. */
  async fetch(request: Request, settings: Settings): Promise<Response> {
    try {
      const edge = await signedIn(settings);
      const { data } = await edge.management.identities.list({ limit: 10 }, { signal: request.signal });
      return Response.json(data.map(({ name }) => name));
    } catch (error) {
      if (!isEdgeApiError(error)) throw error;
      return Response.json({ code: error.code }, { status: error.status });
    }
  },
};
