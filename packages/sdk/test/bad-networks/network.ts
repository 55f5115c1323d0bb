import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fetch } from '../../src/index.ts';

/** `up`: works. `slow`: everything takes its time. `lossy`: connections break, before or after the controller has seen the request.
 * `away`: no connection to the controller. */
export type Condition = 'up' | 'slow' | 'lossy' | 'away';

/** A request that reached the controller. */
export interface Arrival {
  readonly method: string;
  /** Path with query. */
  readonly path: string;
  readonly token: string | null;
  readonly status: number;
  /** Milliseconds since 1970. The controller handled it between these times. */
  readonly sentAt: number;
  readonly answeredAt: number;
  /** Whether the browser got the answer. */
  isDelivered: boolean;
  readonly body: { readonly data?: { readonly id?: string; readonly token?: string } };
}

interface NetworkParts {
  readonly controller: string;
  readonly fetch: Fetch;
  /** What the server of the page has, by path. */
  readonly files: ReadonlyMap<string, string>;
  readonly random: () => number;
  /** Changes what clients ask. */
  readonly rewrite?: ((path: string) => string) | undefined;
  readonly onArrival: (arrival: Arrival) => void;
}

const maxDelay = 1_200;

/** The server of a page. It passes requests on to the controller, as well as the network allows. */
export async function openNetwork(parts: NetworkParts) {
  const { controller, files, random, rewrite = (path) => path, onArrival } = parts;
  let condition: Condition = 'up';
  const isBroken = () => condition === 'away' || (condition === 'lossy' && random() < 0.4);
  const delay = () => (condition === 'slow' ? sleep(random() * maxDelay) : undefined);

  async function passOn(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    const path = rewrite(url);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    await delay();
    if (isBroken()) return void response.destroy();
    const token = headers['svc-session'] ? String(headers['svc-session']) : null;
    const sentAt = Date.now();
    const answer = await parts.fetch(`${controller}${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...(token !== null && { 'svc-session': token }) },
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    });
    const text = await answer.text();
    const body = JSON.parse(text || '{}') as Arrival['body'];
    const { status } = answer;
    const arrival = { method, path, token, status, sentAt, answeredAt: Date.now(), isDelivered: false, body };
    onArrival(arrival);
    await delay();
    if (isBroken()) return void response.destroy();
    arrival.isDelivered = !response.destroyed;
    for (const name of ['content-type', 'www-authenticate', 'svc-session-expires-in', 'retry-after']) {
      const value = answer.headers.get(name);
      if (value !== null) response.setHeader(name, value);
    }
    response.writeHead(status).end(text);
  }

  const server = createServer((request, response) => {
    const path = request.url ?? '';
    const file = files.get(path);
    if (file === undefined) {
      passOn(request, response).catch(() => response.destroy());
      return;
    }
    response.setHeader('content-type', path === '/' ? 'text/html' : 'text/javascript').end(file);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://localhost:${port}`,
    become(value: Condition) {
      condition = value;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
