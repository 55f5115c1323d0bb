import type { Socket } from 'node:net';
import type { Server } from 'node:tls';

interface Unfinished {
  readonly socket: Socket;
  /** Bytes that were sent and received when somebody checked last. */
  bytes: number;
  /** When somebody saw other bytes for the first time, by the monotonic clock. */
  changedAt: number;
}

/** The connections of a server whose TLS handshake is not complete. Make it before the server listens. */
export class UnfinishedHandshakes {
  /** By their peers. */
  readonly #all = new Map<string, Unfinished>();

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => this.#add(socket));
    server.on('secureConnection', (socket) => this.#all.delete(peerOf(socket)));
  }

  /** Closes those on which nothing was sent or received for some milliseconds. */
  closeSilent(milliseconds: number): void {
    const now = performance.now();
    for (const one of this.#all.values()) {
      const { bytesRead, bytesWritten } = one.socket;
      const bytes = bytesRead + bytesWritten;
      if (bytes !== one.bytes) Object.assign(one, { bytes, changedAt: now });
      else if (now - one.changedAt >= milliseconds) one.socket.destroy();
    }
  }

  #add(socket: Socket): void {
    const peer = peerOf(socket);
    const one = { socket, bytes: 0, changedAt: performance.now() };
    this.#all.set(peer, one);
    socket.once('close', () => {
      if (this.#all.get(peer) === one) this.#all.delete(peer);
    });
  }
}

/** The same for a connection and for the TLS socket on it. */
export function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
