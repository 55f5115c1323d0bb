import type { JwtFile } from './load.ts';
import { load } from './load.ts';
import type { Contender, Figures } from './rounds.ts';
import type { Server } from './servers.ts';

export interface Requests {
  readonly path: string;
  readonly connections: number;
  /** JSON to POST with no session; without it `path` is read in the session of the server. */
  readonly body?: string;
  /** What every request brings in `Authorization`. */
  readonly jwt?: string | JwtFile;
}

/** A server as a contender: it gets the same request again and again. */
export function underLoad(name: string, server: Server, { path, connections, body, jwt }: Requests): Contender {
  const url = server.url + path;
  const work = { url, connections, ...(body ? { body } : { token: server.token }), ...(jwt ? { jwt } : {}) };
  return {
    name,
    async measure(seconds): Promise<Figures> {
      const before = await server.cpu();
      const { rate, p99, requests } = await load({ ...work, seconds });
      return { rate, p99, cpu: ((await server.cpu()) - before) / requests };
    },
  };
}
