import type { Fetch } from '../../api/fetch.ts';
import { createEdgeClient } from '../../client/create-edge-client.ts';
import type { EdgeClient } from '../../client/edge-client.ts';

interface ServerClientOptions {
  readonly controller: string | URL | readonly (string | URL)[];
  readonly fetch: () => Fetch;
  readonly sessionHeader: string;
  readonly timeout: number;
}

/** A client for one request of one user, and the token of its session. */
export interface ServerClient {
  readonly edge: EdgeClient;
  readonly token: () => string | null;
}

/** Creates a client with the session of this token. `headers`: sent with every request to the controller. */
export function createServerClient(
  { controller, fetch, sessionHeader, timeout }: ServerClientOptions,
  given: string | null,
  headers: Readonly<Record<string, string>>,
): ServerClient {
  let token = given;
  const storage = {
    get: () => token,
    set: (_key: string, value: string) => {
      token = value;
    },
    remove: () => {
      token = null;
    },
  };
  const send: Fetch = async (input, init) => fetch()(input, init);
  const edge = createEdgeClient(controller, { storage, fetch: send, sessionHeader, timeout, headers, retries: 1 });
  return { edge, token: () => token };
}
