import type { BrowserListener } from './browser-listener.ts';
import type { Listener, ListenOptions } from './listen.ts';
import { listen } from './listen.ts';
import type { ServerKeys } from './tls-options.ts';

interface Port {
  /** Returns the port that is bound. */
  open(): Promise<number>;
}

/** What listens beside the port of the APIs. `null`: not this one. */
interface Others {
  readonly routerPort: Port | null;
  readonly browser: BrowserListener | null;
  readonly operations: Operations;
}

interface Operations {
  readonly health: { isServing: boolean };
  readonly listener: (Port & { close(): Promise<void> }) | null;
}

/** All ports of a controller, from `listen` to `close`. */
export class Listeners {
  #listener: Listener | null = null;
  #browser: BrowserListener | null = null;
  #operations: Operations | null = null;
  #closing: Promise<void> | null = null;

  /** The port that is bound, if one is. */
  get port(): number | undefined {
    return this.#listener?.port;
  }

  async listen(
    options: ListenOptions,
    { routerPort, browser, operations }: Others,
  ): Promise<{
    url: string;
    port: number;
    browserPort: number | null;
    routersPort: number | null;
    operationsPort: number | null;
  }> {
    this.#operations = operations;
    // First, so that one can see what the rest waits for.
    const operationsPort = (await operations.listener?.open()) ?? null;
    const routersPort = (await routerPort?.open()) ?? null;
    this.#listener = await listen(options);
    this.#browser = browser;
    const browserPort = (await browser?.open(options)) ?? null;
    operations.health.isServing = true;
    const { port } = this.#listener;
    return { url: `https://${shownHost(options.host)}:${port}`, port, browserPort, routersPort, operationsPort };
  }

  /** Open connections of clients. */
  get connections(): number {
    return (this.#listener?.connections ?? 0) + (this.#browser?.connections ?? 0);
  }

  /** When the certificate for browsers ends, if there is one. */
  get browserEnds(): BrowserListener['ends'] {
    return this.#browser?.ends ?? [];
  }

  renew(keys: ServerKeys): void {
    this.#listener?.renew(keys);
    this.#browser?.renew(keys);
  }

  close(drainTime: number, release: () => Promise<void>): Promise<void> {
    const end = async () => {
      // Whoever sends requests here can see that it must stop, until nothing is left.
      if (this.#operations) this.#operations.health.isServing = false;
      await Promise.all([this.#listener?.close(drainTime), this.#browser?.close(drainTime)]);
      await release();
      await this.#operations?.listener?.close();
    };
    this.#closing ??= end();
    return this.#closing;
  }
}

/** A host that the certificate names: clients cannot connect to a wildcard address. */
function shownHost(host: string): string {
  if (['127.0.0.1', '::1', '0.0.0.0', '::', 'localhost'].includes(host)) return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
