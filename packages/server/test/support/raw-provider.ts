import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:net';

/** What a provider does with a connection. `request` has the bytes that came first. */
export type Respond = (socket: Socket, request: string) => void;

/** A TCP server on the loopback address, for what no HTTP server would do. */
export interface RawProvider extends AsyncDisposable {
  readonly port: number;
  /** The number of connections so far. */
  readonly connections: number;
  /** Responds in another way from now on. */
  serve(respond: Respond): void;
}

/** `connected` runs before the first byte of the client. */
export async function startRawProvider(respond: Respond, connected?: Respond): Promise<RawProvider> {
  const sockets = new Set<Socket>();
  let connections = 0;
  let current = respond;
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    connected?.(socket, '');
    socket.once('data', (bytes) => {
      current(socket, bytes.toString('latin1'));
      socket.resume();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    get connections() {
      return connections;
    },
    serve: (next) => {
      current = next;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
