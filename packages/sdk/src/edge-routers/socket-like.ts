import { Duplex } from 'node:stream';

/** A stream with those members of `net.Socket` that `node:http` and clients of databases use. What sets up TCP does nothing. */
export abstract class SocketLike extends Duplex {
  /** Bytes of the application that have come. */
  bytesRead = 0;
  /** Bytes of the application that were sent. */
  bytesWritten = 0;
  /** Milliseconds without a byte in any direction after which `timeout` is emitted. 0: never. */
  timeout = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Names the other end in logs. It is no IP address. */
  abstract get remoteAddress(): string | undefined;
  /** While it is open, it keeps the process alive. */
  abstract ref(): this;
  /** It does not keep the process alive. */
  abstract unref(): this;

  /** Whether it is not connected yet. */
  get connecting(): boolean {
    return false;
  }

  /** The same as `connecting`. */
  get pending(): boolean {
    return this.connecting;
  }

  get readyState(): 'opening' | 'open' | 'readOnly' | 'writeOnly' | 'closed' {
    if (this.destroyed) return 'closed';
    if (this.connecting) return 'opening';
    if (this.readable && this.writable) return 'open';
    return this.readable ? 'readOnly' : 'writeOnly';
  }

  address(): Record<string, never> {
    return {};
  }

  /** Clients of databases call it, and wait for `connect`, which is emitted when it is connected. It connects by itself. */
  connect(...given: unknown[]): this {
    const listener = given.at(-1);
    if (typeof listener === 'function') this.once('connect', () => listener());
    if (!this.connecting) setImmediate(() => this.emit('connect'));
    return this;
  }

  /** Emits `timeout` when nothing was sent or received for this time in milliseconds. 0 ends that. */
  setTimeout(timeout: number, listener?: () => void): this {
    clearTimeout(this.#timer);
    this.timeout = timeout;
    if (timeout > 0 && !this.destroyed) this.#timer = setTimeout(() => this.emit('timeout'), timeout).unref();
    if (listener) this[timeout > 0 ? 'once' : 'off']('timeout', listener);
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  /** Destroys it as soon as everything is written. */
  destroySoon(): void {
    if (this.writable) this.end();
    if (this.writableFinished) this.destroy();
    else this.once('finish', () => this.destroy());
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    clearTimeout(this.#timer);
    done(error);
  }

  /** Bytes were sent or received. */
  protected noteActivity(): void {
    // A timer that has fired starts again.
    this.#timer?.refresh();
  }
}
