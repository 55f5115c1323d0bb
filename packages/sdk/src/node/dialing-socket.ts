import type { DialOptions } from '../edge-routers/dial-options.ts';
import type { EdgeConnection } from '../edge-routers/edge-connection.ts';
import { SocketLike } from '../edge-routers/socket-like.ts';
import type { ServiceSocket } from './service-socket.ts';

type Dial = (options: DialOptions) => Promise<EdgeConnection>;
type Written = (error?: Error | null) => void;

/** A socket that dials by itself. */
export class DialingSocket extends SocketLike implements ServiceSocket {
  readonly #aborted = new AbortController();
  #connection: EdgeConnection | undefined;
  #isReferenced = true;
  /** What waits for the connection. */
  #waiting: ((connection: EdgeConnection) => void) | undefined;

  constructor(dial: Dial, { signal, allowHalfOpen = false, ...options }: DialOptions) {
    super({ allowHalfOpen });
    const signals = [this.#aborted.signal, ...(signal ? [signal] : [])];
    dial({ ...options, signal: AbortSignal.any(signals) }).then(
      (connection) => this.#connected(connection),
      (error: Error) => this.destroy(error),
    );
  }

  get connection(): EdgeConnection | undefined {
    return this.#connection;
  }

  override get connecting(): boolean {
    return this.#connection === undefined && !this.destroyed;
  }

  override get remoteAddress(): string | undefined {
    return this.#connection?.remoteAddress;
  }

  override ref(): this {
    this.#isReferenced = true;
    this.#connection?.ref();
    return this;
  }

  override unref(): this {
    this.#isReferenced = false;
    this.#connection?.unref();
    return this;
  }

  override _read(): void {
    this.#connection?.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: Written): void {
    this.bytesWritten += chunk.length;
    this.recordActivity();
    this.#whenConnected((connection) => connection.write(chunk, done));
  }

  override _final(done: Written): void {
    this.#whenConnected((connection) => connection.end(() => done()));
  }

  override _destroy(error: Error | null, done: Written): void {
    this.#aborted.abort(error ?? new Error('the socket was destroyed'));
    // Its errors have been reported.
    this.#connection?.destroy(error ?? undefined);
    super._destroy(error, done);
  }

  #whenConnected(run: (connection: EdgeConnection) => void): void {
    if (this.#connection) run(this.#connection);
    else this.#waiting = run;
  }

  #connected(connection: EdgeConnection): void {
    if (this.destroyed) {
      connection.destroy();
      return;
    }
    this.#connection = connection;
    if (!this.#isReferenced) connection.unref();
    connection.on('data', (chunk: Buffer) => {
      this.bytesRead += chunk.length;
      this.recordActivity();
      if (!this.push(chunk)) connection.pause();
    });
    connection.on('end', () => this.push(null));
    connection.on('error', (error) => this.destroy(error));
    this.#waiting?.(connection);
    this.#waiting = undefined;
    this.emit('connect');
    this.emit('ready');
  }
}
