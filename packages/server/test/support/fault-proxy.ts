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
  const sockets = new Set<Socket>();
  let target = targetPort;
  let latency = 0;
  let isRefusing = false;
  let hole: PromiseWithResolvers<void> | null = null;

  const open = async () => {
    while (hole) await hole.promise;
  };
  const track = (socket: Socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.once('close', () => sockets.delete(socket));
    // `close` follows, with the error.
    socket.on('error', () => undefined);
  };

  /** Forwards in order, from the time when `start` resolves. */
  const pipe = (from: Socket, to: Socket, start: Promise<unknown>) => {
    let last = start;
    const pass = (action: () => void) => {
      last = Promise.all([last, latency > 0 && sleep(latency)]).then(async () => {
        await open();
        action();
      });
    };
    from.on('data', (chunk) => pass(() => to.writable && to.write(chunk)));
    from.on('end', () => pass(() => to.end()));
    from.on('close', (hadError) => pass(() => (hadError ? to.resetAndDestroy() : to.destroySoon())));
  };

  const server = createServer({ allowHalfOpen: true }, (client) => {
    track(client);
    if (isRefusing) {
      client.resetAndDestroy();
      return;
    }
    const upstream = new Socket({ allowHalfOpen: true });
    track(upstream);
    const start = open().then(() => {
      if (!upstream.destroyed) upstream.connect(target, '127.0.0.1');
    });
    pipe(client, upstream, start);
    pipe(upstream, client, start);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  const abortAll = () => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  const heal = () => {
    isRefusing = false;
    hole?.resolve();
    hole = null;
  };
  return {
    port: (server.address() as AddressInfo).port,
    delay(milliseconds) {
      latency = milliseconds;
    },
    cut() {
      for (const socket of sockets) socket.destroySoon();
    },
    reset: abortAll,
    refuse() {
      isRefusing = true;
      abortAll();
    },
    blackHole() {
      hole ??= Promise.withResolvers<void>();
    },
    heal,
    switchTarget(port) {
      target = port;
    },
    async [Symbol.asyncDispose]() {
      heal();
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
