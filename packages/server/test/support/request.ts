import { readFileSync } from 'node:fs';
import { Agent, request as httpsRequest } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { undeclaredError } from './undeclared-error.ts';

export interface WireAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  bytes: Buffer;
  text: string;
  // The wire is what is tested: its members are asserted, not typed.
  // biome-ignore lint/suspicious/noExplicitAny: tests read members of answers that are not what they should be
  body: any;
}

export interface WireRequest {
  token?: string;
  body?: unknown;
  /** Sent as it is, instead of `body`. */
  raw?: string;
  headers?: Record<string, string>;
}

export interface Wire {
  (method: string, path: string, options?: WireRequest): Promise<WireAnswer>;
  /** Closes the connections on which no request is under way. A controller that closes waits 500 ms for their clients. */
  closeIdle(): void;
}

interface WireClient {
  /** PEM. */
  readonly key?: string;
  readonly cert?: string;
  /** The address that it connects from. */
  readonly localAddress?: string;
}

/** Requests as any HTTP client would send them: no SDK in between. */
export function createWire(url: string, caFile: string, client: WireClient = {}): Wire {
  const { key, cert, localAddress } = client;
  const agent = new Agent({
    ca: readFileSync(caFile),
    keepAlive: true,
    maxSockets: 200,
    // Without a limit of its own, the agent ignores the one that the controller names: a request would meet the end of its connection.
    timeout: 60_000,
    ...(cert ? { key, cert } : {}),
    ...(localAddress ? { localAddress } : {}),
  });
  const send = (method: string, path: string, { token, body, raw, headers = {} }: WireRequest = {}) =>
    new Promise<WireAnswer>((resolve, reject) => {
      const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
      const outgoing = httpsRequest(
        `${url}${path}`,
        {
          method,
          agent,
          headers: {
            ...(payload === undefined
              ? {}
              : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }),
            ...(token === undefined ? {} : { 'svc-session': token }),
            ...headers,
          },
        },
        (incoming) => {
          const chunks: Buffer[] = [];
          incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
          incoming.on('error', reject);
          incoming.on('end', () => {
            const bytes = Buffer.concat(chunks);
            const text = bytes.toString('utf8');
            const status = incoming.statusCode ?? 0;
            const answer = { status, headers: incoming.headers, bytes, text, body: parse(text) };
            const gap = undeclaredError(method, path, answer);
            if (gap === null) resolve(answer);
            else reject(new Error(gap));
          });
        },
      );
      outgoing.on('error', reject);
      outgoing.end(payload);
    });
  const closeIdle = () => {
    for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy();
  };
  return Object.assign(send, { closeIdle });
}

/** Sends a request again while its response is 503: on a busy machine a store may not respond in time. */
export async function served(send: () => Promise<WireAnswer>): Promise<WireAnswer> {
  for (;;) {
    const answer = await send();
    if (answer.status !== 503) return answer;
    await sleep(50);
  }
}

/** Requests of a client that presents a certificate on each of its TLS connections. */
export function wireOf(
  { url, caFile }: { readonly url: string; readonly caFile: string },
  { key, cert }: { readonly key: string; readonly cert: string },
): Wire {
  return createWire(url, caFile, { key, cert });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
