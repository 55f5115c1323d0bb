import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { Logger } from '../../core/log/log.ts';
import { StartError } from '../../core/start/start-error.ts';
import type { Health } from './health.ts';
import { healthChecksBody } from './health-checks.ts';

interface Options {
  /** `host:port`; the port 0 is any free one. */
  readonly bind: string;
  readonly health: Health;
  /** The metrics in the text format of Prometheus. */
  readonly metrics: { text(): Promise<string>; readonly contentType: string };
  readonly log: Logger;
}

interface Reply {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

type Page = (options: Options) => Promise<Reply>;

const plain = 'text/plain; charset=utf-8';

/** Path → what it shows. */
const pages: ReadonlyMap<string, Page> = new Map([
  ['/livez', async () => ({ status: 200, type: plain, body: 'ok\n' })],
  ['/readyz', readiness],
  ['/metrics', async ({ metrics }) => ({ status: 200, type: metrics.contentType, body: await metrics.text() })],
  ['/health-checks', healthChecks],
]);

/** Connections at the same time. A scraper and a few probes need less. */
const maxConnections = 64;

/** Listens for those who watch the controller: plain HTTP, which only reads, and knows no session. */
export class OperationsListener {
  readonly #options: Options;
  readonly #server: Server;

  constructor(options: Options) {
    this.#options = options;
    this.#server = createServer(
      {
        ...{ maxHeaderSize: 8_192, headersTimeout: 5_000, requestTimeout: 5_000, keepAliveTimeout: 30_000 },
        connectionsCheckingInterval: 2_000,
      },
      (request, response) => void this.#serve(request, response),
    );
    this.#server.maxConnections = maxConnections;
    this.#server.setTimeout(60_000);
  }

  /**
   * Resolves to the port that is bound.
   *
   * @throws StartError when the address cannot be bound
   */
  async open(): Promise<number> {
    const { bind, log } = this.#options;
    const colon = bind.lastIndexOf(':');
    const host = bind.slice(0, colon).replace(/^\[|\]$/g, '');
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', (error) => reject(cannotListen(bind, error)));
      this.#server.listen(Number(bind.slice(colon + 1)), host, resolve);
    });
    this.#server
      .removeAllListeners('error')
      .on('error', (error) => log.error({ err: error }, 'operations listener failed'));
    const address = this.#server.address();
    return typeof address === 'object' && address ? address.port : 0;
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = new Promise<void>((resolve) => void this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
    // A body that somebody sends is not read.
    if (length !== undefined || encoding !== undefined) response.shouldKeepAlive = false;
    const { status, type, body } = await this.#reply(request);
    if (status === 405) response.setHeader('Allow', 'GET, HEAD');
    response.writeHead(status, {
      'Content-Type': type,
      'Content-Length': Buffer.byteLength(body),
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    });
    response.end(request.method === 'HEAD' ? undefined : body);
  }

  async #reply({ url = '', method }: IncomingMessage): Promise<Reply> {
    const page = pages.get(url.split('?', 1)[0] ?? '');
    if (!page) return { status: 404, type: plain, body: `There are ${[...pages.keys()].join(', ')}.\n` };
    if (method !== 'GET' && method !== 'HEAD') return { status: 405, type: plain, body: 'Only GET and HEAD.\n' };
    try {
      return await page(this.#options);
    } catch (error) {
      this.#options.log.error({ err: error }, 'the operations listener cannot respond');
      return { status: 500, type: plain, body: 'The log has the reason.\n' };
    }
  }
}

/** 503 while a store does not work, before the controller listens, and from the moment when it begins to stop. */
async function readiness({ health }: Options): Promise<Reply> {
  const checks = health.isServing ? await health.check() : [];
  const isReady = health.isServing && checks.every(({ healthy }) => healthy);
  const lines = [`controller: ${health.isServing ? 'ok' : 'not serving'}`];
  for (const { id, healthy } of checks) lines.push(`${id}: ${healthy ? 'ok' : 'cannot be used'}`);
  return { status: isReady ? 200 : 503, type: plain, body: `${lines.join('\n')}\n` };
}

/** The health checks of the wire. */
async function healthChecks({ health }: Options): Promise<Reply> {
  const { isHealthy, body } = healthChecksBody(await health.check());
  return { status: isHealthy ? 200 : 503, type: 'application/json', body };
}

function cannotListen(bind: string, error: NodeJS.ErrnoException): StartError {
  const message = `The operations listener cannot listen on ${bind}: ${error.message}`;
  const fix = 'free the address, or set EDGE_OPERATIONS_BIND to another one (port 0: any free port)';
  return new StartError([{ message, fix, setting: 'operationsBind', kind: 'unusable' }], { cause: error });
}
