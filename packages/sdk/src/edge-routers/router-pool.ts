import { EdgeConnectionError } from './connection-error.ts';
import type { RouterChannel } from './router-channel.ts';

/** Channels to one router, when connections that nobody reads hold up the first ones. */
const maxChannels = 4;

/** The channels of one API session to its edge routers. */
export class RouterPool {
  readonly #connect: (url: string) => Promise<RouterChannel>;
  readonly #open = new Set<RouterChannel>();
  readonly #opening = new Map<string, Promise<RouterChannel>>();
  #ended: EdgeConnectionError | undefined;

  constructor(connect: (url: string) => Promise<RouterChannel>) {
    this.#connect = connect;
  }

  /** The channel to a router. Opens one if there is none. */
  async channel(url: string): Promise<RouterChannel> {
    return this.#usable([url])[0] ?? this.#start(url);
  }

  /**
   * The channel to the router that answers fastest. Without any, it asks all of them, and the first one counts.
   *
   * @throws EdgeConnectionError `NO_ROUTER`, or the error of the only router
   */
  async nearest(urls: readonly string[]): Promise<RouterChannel> {
    const [first, ...others] = this.#usable(urls);
    if (first) return others.reduce((best, one) => (one.latency < best.latency ? one : best), first);
    try {
      return await Promise.any(urls.map((url) => this.#start(url)));
    } catch (cause) {
      const [first] = cause instanceof AggregateError ? cause.errors : [cause];
      throw new EdgeConnectionError('NO_ROUTER', { cause, reason: first instanceof Error ? first.message : '' });
    }
  }

  /** Ends all channels with what they carry. */
  end(error: EdgeConnectionError): void {
    this.#ended = error;
    for (const channel of this.#open) channel.end(error);
  }

  #usable(urls: readonly string[]): RouterChannel[] {
    const open = [...this.#open].filter(({ url }) => urls.includes(url));
    const free = open.filter(({ isPaused }) => !isPaused);
    return free.length > 0 || open.length < maxChannels ? free : open;
  }

  #start(url: string): Promise<RouterChannel> {
    if (this.#ended) return Promise.reject(this.#ended);
    const running = this.#opening.get(url);
    if (running) return running;
    const opening = this.#connect(url)
      .then((channel) => this.#add(channel))
      .finally(() => this.#opening.delete(url));
    this.#opening.set(url, opening);
    return opening;
  }

  #add(channel: RouterChannel): RouterChannel {
    if (this.#ended) {
      channel.end(this.#ended);
      throw this.#ended;
    }
    this.#open.add(channel);
    channel.onEnd(() => this.#open.delete(channel));
    return channel;
  }
}
