import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { PeerFlight } from './peer-flight.ts';

interface GuardOptions {
  /** Reads along what the peer sends. */
  readonly flight: PeerFlight;
  /** Runs what gives OpenSSL bytes of the handshake. `work`: milliseconds that the certificates in it may take. */
  readonly run: (step: () => void, work: number) => void;
  /** The peer has ended before its certificates were complete. Default: who reads the stream sees the end. */
  readonly onEarlyEnd?: () => void;
}

/**
 * A connection whose handshake `flight` reads first. Make a `TLSSocket` of it, and give `flight` the secret of the key log, then
 * call `advance`. When the peer sends what OpenSSL must not get, the stream is destroyed with a `RefusedHandshake`.
 */
export class GuardedStream extends Duplex {
  readonly #socket: Socket;
  readonly #options: GuardOptions;
  #isOpen = false;
  #isStepping = false;
  #hasEnded = false;

  constructor(socket: Socket, options: GuardOptions) {
    super({ allowHalfOpen: true });
    this.#socket = socket;
    this.#options = options;
    // When the peer has ended, there may still be a response to write.
    socket.allowHalfOpen = true;
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    socket.on('end', () => {
      this.#hasEnded = true;
      this.advance();
    });
    socket.on('error', (error) => this.destroy(error));
    socket.on('close', () => this.destroy());
  }

  /** Gives OpenSSL the bytes that it may get now. */
  advance(): void {
    if (this.#isStepping || this.destroyed) return;
    const { flight, run } = this.#options;
    if (!this.#isOpen) this.#socket.resume();
    try {
      const passed = this.#isOpen ? null : flight.next();
      if (passed === null) {
        this.#wait();
        return;
      }
      this.#isStepping = true;
      run(() => this.#step(passed.bytes), passed.work);
    } catch (error) {
      this.destroy(error as Error);
    }
  }

  #step(bytes: Buffer): void {
    this.#isStepping = false;
    if (this.destroyed) return;
    this.push(bytes);
    this.advance();
  }

  /** Nothing more can pass before more is received, or the secret is known. */
  #wait(): void {
    const { flight, onEarlyEnd } = this.#options;
    this.#isOpen = flight.certificates !== null;
    if (!this.#hasEnded || flight.needsSecret) return;
    if (onEarlyEnd && !this.#isOpen) onEarlyEnd();
    else this.push(null);
  }

  #receive(chunk: Buffer): void {
    if (!this.#isOpen) {
      const { flight } = this.#options;
      flight.add(chunk);
      this.advance();
      // The bytes that wait for their turn must not fill the memory.
      if (this.#isStepping || flight.needsSecret) this.#socket.pause();
    } else if (!this.push(chunk)) this.#socket.pause();
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk, done);
  }

  override _writev(chunks: { readonly chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this.#socket.cork();
    for (const { chunk } of chunks.slice(0, -1)) this.#socket.write(chunk);
    this.#socket.write(chunks.at(-1)?.chunk ?? '', done);
    this.#socket.uncork();
  }

  override _final(done: () => void): void {
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }
}
