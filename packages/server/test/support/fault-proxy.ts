import type { AddressInfo } from 'node:net';
import { createServer, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A TCP proxy on 127.0.0.1 in front of a store. It makes the faults of a network. */
export interface FaultProxy extends AsyncDisposable {
  readonly port: number;
  /** Delays everything that passes, in both directions. */
  delay(milliseconds: number): void;
  /** Closes all connections (FIN). New connections are served. */
  cut(): void;
  /** Aborts all connections (RST). New connections are served. */
  reset(): void;
  /** Aborts all connections and every new one, until `heal`. */
  refuse(): void;
  /** Lets nothing pass and closes nothing, until `heal`. New connections are accepted and stay silent. */
  blackHole(): void;
  /** Ends the fault. What a black hole has held passes now. */
  heal(): void;
  /** New connections go to this port of 127.0.0.1. The open ones stay where they are. */
  switchTarget(port: number): void;
}

/** Starts a proxy that forwards to a port of 127.0.0.1. */
export async function startFaultProxy(targetPort: number): Promise<FaultProxy> {
  const proxy = new TcpFaultProxy(targetPort);
  await proxy.listen();
  return proxy;
}

class TcpFaultProxy implements FaultProxy {
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer({ allowHalfOpen: true }, (client) => this.#forward(client));
  #target: number;
  #latency = 0;
  #isRefusing = false;
  #hole: PromiseWithResolvers<void> | null = null;

  constructor(target: number) {
    this.#target = target;
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  delay(milliseconds: number): void {
    this.#latency = milliseconds;
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroySoon();
  }

  reset(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  refuse(): void {
    this.#isRefusing = true;
    this.reset();
  }

  blackHole(): void {
    this.#hole ??= Promise.withResolvers<void>();
  }

  heal(): void {
    this.#isRefusing = false;
    this.#hole?.resolve();
    this.#hole = null;
  }

  switchTarget(port: number): void {
    this.#target = port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.heal();
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #forward(client: Socket): void {
    this.#track(client);
    if (this.#isRefusing) {
      client.resetAndDestroy();
      return;
    }
    const upstream = new Socket({ allowHalfOpen: true });
    this.#track(upstream);
    const start = this.#open().then(() => {
      if (!upstream.destroyed) upstream.connect(this.#target, '127.0.0.1');
    });
    this.#pipe(client, upstream, start);
    this.#pipe(upstream, client, start);
  }

  async #open(): Promise<void> {
    while (this.#hole) await this.#hole.promise;
  }

  #track(socket: Socket): void {
    this.#sockets.add(socket);
    socket.setNoDelay(true);
    socket.once('close', () => this.#sockets.delete(socket));
    // `close` follows, with the error.
    socket.on('error', () => undefined);
  }

  /** Forwards in order, from the time when `start` resolves. */
  #pipe(from: Socket, to: Socket, start: Promise<unknown>): void {
    let last = start;
    const pass = (action: () => void) => {
      last = Promise.all([last, this.#latency > 0 && sleep(this.#latency)]).then(async () => {
        await this.#open();
        action();
      });
    };
    from.on('data', (chunk) => pass(() => to.writable && to.write(chunk)));
    from.on('end', () => pass(() => to.end()));
    from.on('close', (hadError) => pass(() => (hadError ? to.resetAndDestroy() : to.destroySoon())));
  }
}
