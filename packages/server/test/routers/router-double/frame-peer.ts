import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Server, TLSSocket } from 'node:tls';
import { connect, createServer } from 'node:tls';
import type { Frame } from '@edge-controller/shared-types/channel';
import { FrameReader, frameHead } from '@edge-controller/shared-types/channel';
import { ended } from '../../support/ended.ts';
import type { TestClient } from '../../support/test-ca.ts';
import type { TestNetwork } from './network.ts';

/** One side of a channel, spoken by a test. What came is kept until the test takes it. */
export class FramePeer {
  readonly #socket: TLSSocket;
  readonly #waiting = new Set<() => void>();
  unread: Frame[] = [];
  isClosed = false;
  onFrame: ((frame: Frame) => boolean) | null = null;
  /** Takes the bytes as they come, in place of frames. */
  onBytes: ((bytes: Uint8Array) => void) | null = null;

  constructor(socket: TLSSocket) {
    this.#socket = socket;
    const reader = new FrameReader({ headers: 1_000_000, body: 100_000_000 });
    socket.on('data', (chunk: Uint8Array) => {
      if (this.onBytes) return this.onBytes(chunk);
      for (const frame of reader.push(chunk)) if (!this.onFrame?.(frame)) this.unread.push(frame);
      for (const look of this.#waiting) look();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.isClosed = true;
      for (const look of this.#waiting) look();
    });
  }

  /** Bytes that the other side has not taken yet. */
  get writableLength(): number {
    return this.#socket.writableLength;
  }

  send(frame: Frame): void {
    this.#socket.write(Buffer.concat([frameHead(frame), frame.body]));
  }

  write(bytes: Uint8Array): void {
    this.#socket.write(bytes);
  }

  /** Takes the first frame that matches, now or later. */
  take(what: string, matches: (frame: Frame) => boolean, timeout = 60_000): Promise<Frame> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const at = this.unread.findIndex(matches);
        const [found] = at < 0 ? [] : this.unread.splice(at, 1);
        if (found) end(() => resolve(found));
        else if (this.isClosed) end(() => reject(new Error(`the connection ended before ${what} came`)));
      };
      const end = (run: () => void) => {
        clearTimeout(timer);
        this.#waiting.delete(look);
        run();
      };
      const types = () => this.unread.map(({ type }) => type).join(', ');
      const timer = setTimeout(
        () => end(() => reject(new Error(`${what} did not come; there are ${types()}`))),
        timeout,
      );
      this.#waiting.add(look);
      look();
    });
  }

  ofType(type: number, timeout?: number): Promise<Frame> {
    return this.take(`a frame of type ${type}`, (frame) => frame.type === type, timeout);
  }

  closed(): Promise<void> {
    return ended(this.#socket);
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  close(): void {
    this.#socket.destroy();
  }
}

/** Where routers connect to. */
export class ControlListener {
  readonly #server: Server;
  readonly #sockets = new Set<TLSSocket>();
  readonly #connections: FramePeer[] = [];
  readonly #waiting: ((peer: FramePeer) => void)[] = [];
  address = '';
  onConnection: ((peer: FramePeer, socket: TLSSocket) => void) | null = null;

  private constructor({ server: { key, cert }, ca }: TestNetwork) {
    const trust = { ca, requestCert: true, rejectUnauthorized: false };
    this.#server = createServer({ key, cert, ...trust, ALPNProtocols: ['ziti-ctrl'] }, (socket) => {
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      const peer = new FramePeer(socket);
      if (this.onConnection) return this.onConnection(peer, socket);
      const next = this.#waiting.shift();
      if (next) next(peer);
      else this.#connections.push(peer);
    });
  }

  static async start(network: TestNetwork): Promise<ControlListener> {
    const listener = new ControlListener(network);
    listener.#server.listen(0, '127.0.0.1');
    await once(listener.#server, 'listening');
    listener.address = `tls:127.0.0.1:${(listener.#server.address() as AddressInfo).port}`;
    return listener;
  }

  /** The next connection that nobody has taken. */
  accept(): Promise<FramePeer> {
    const peer = this.#connections.shift();
    return peer ? Promise.resolve(peer) : new Promise((resolve) => this.#waiting.push(resolve));
  }

  disconnectAll(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
  }

  close(): void {
    this.#server.close();
    this.disconnectAll();
  }
}

/** Connects as an application. */
export async function connectApplication(
  network: Pick<TestNetwork, 'ca'>,
  port: number,
  client: Pick<TestClient, 'key' | 'cert'>,
): Promise<FramePeer> {
  const socket = connect({ host: '127.0.0.1', port, key: client.key, cert: client.cert, ca: network.ca });
  socket.setNoDelay(true);
  await once(socket, 'secureConnect');
  return new FramePeer(socket);
}
