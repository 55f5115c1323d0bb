import { Duplex } from 'node:stream';
import type { EdgeSocket } from './edge-socket.ts';

/** What all sockets have in common. */
export abstract class SocketLike extends Duplex implements EdgeSocket {
  bytesRead = 0;
  bytesWritten = 0;
  timeout = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  abstract get remoteAddress(): string | undefined;
  abstract ref(): this;
  abstract unref(): this;

  get connecting(): boolean {
    return false;
  }

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

  connect(...given: unknown[]): this {
    const listener = given.at(-1);
    if (typeof listener === 'function') this.once('connect', () => listener());
    if (!this.connecting) setImmediate(() => this.emit('connect'));
    return this;
  }

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
  protected recordActivity(): void {
    // A timer that has fired starts again.
    this.#timer?.refresh();
  }
}
