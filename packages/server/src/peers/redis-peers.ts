import { setTimeout as sleep } from 'node:timers/promises';
import { defineScript } from 'redis';
import { createRedisClient } from '../database/redis/clients.ts';
import { createLazyConnection } from '../database/redis/lazy-connection.ts';
import type { Clock } from '../lib/clock.ts';
import { shortId } from '../lib/ids.ts';
import type { Note, PeerListener, Peers } from './peers.ts';

/** Milliseconds. */
const showInterval = 1_000;
const showLifetime = 4_000;
const checkInterval = 1_000;
/** In which a note must be sent, and before it is sent again. */
const [tellTime, tellPause] = [600, 20];

type Parser = Parameters<Parameters<typeof defineScript>[0]['parseCommand']>[0];

/** Counts a note and publishes it in one step, so that nobody gets a note without its number. Without listeners it does nothing. */
const tell = defineScript({
  NUMBER_OF_KEYS: 2,
  SCRIPT: `
    if redis.call('EXISTS', KEYS[2]) == 0 then return 0 end
    local number = redis.call('INCR', KEYS[1])
    redis.call('PUBLISH', ARGV[1], number .. ' ' .. ARGV[2])
    return number`,
  parseCommand(
    parser: Parser,
    keys: { readonly count: string; readonly listening: string },
    channel: string,
    text: string,
  ) {
    parser.pushKey(keys.count);
    parser.pushKey(keys.listening);
    parser.push(channel, text);
  },
  transformReply: (reply: unknown) => reply as number,
});

const scripts = { tell };

/** The peers of a controller whose sessions are in Redis. Connections open when they are first used. */
export function createRedisPeers(url: string, clock: Clock, prefix = 'edge:'): Peers {
  return new RedisPeers(url, clock, prefix);
}

class RedisPeers implements Peers {
  readonly id = shortId();
  readonly #url: string;
  readonly #clock: Clock;
  readonly #keys: ReturnType<typeof keysOf>;
  readonly #connection: ReturnType<typeof createLazyConnection<typeof scripts>>;
  readonly #listeners = new Map<string, Set<PeerListener>>();
  #subscription: Promise<Subscriber> | null = null;
  #timers: NodeJS.Timeout[] = [];
  /** The number of the last note. `null`: not known, so that notes may be lost. */
  #heard: number | null = null;
  #state = '';

  constructor(url: string, clock: Clock, prefix: string) {
    this.#url = url;
    this.#clock = clock;
    this.#keys = keysOf(prefix, databaseOf(url));
    this.#connection = createLazyConnection(url, scripts);
  }

  async tell(topic: string, note: Note): Promise<void> {
    const keys = this.#keys;
    const text = JSON.stringify({ topic, note });
    const giveUpAt = performance.now() + tellTime;
    for (;;) {
      try {
        await this.#connection.run((client) => client.tell(keys, keys.allChannel, text));
        return;
      } catch (error) {
        // After an outage this connection may be back a moment later than the one that has just changed a session.
        if (performance.now() > giveUpAt) throw error;
        await sleep(tellPause);
      }
    }
  }

  async tellOne(peerId: string, topic: string, note: Note): Promise<void> {
    const text = JSON.stringify({ topic, note });
    await this.#connection.run((client) => client.publish(this.#keys.channelOf(peerId), text));
  }

  async listen(topic: string, listener: PeerListener): Promise<() => void> {
    const all = this.#listeners.get(topic) ?? new Set();
    this.#listeners.set(topic, all.add(listener));
    this.#subscription ??= this.#subscribe();
    await this.#subscription;
    return () => void all.delete(listener);
  }

  async show(state: object): Promise<void> {
    this.#state = JSON.stringify(state);
    await this.#showAgain();
  }

  async shown(): Promise<ReadonlyMap<string, object>> {
    const keys = this.#keys;
    return this.#connection.run(async (client) => {
      const ids = (await client.zRange(keys.listening, 0, -1)).filter((id) => id !== this.id);
      if (ids.length === 0) return new Map();
      const states = await client.mGet(ids.map(keys.stateOf));
      return new Map(ids.flatMap((id, at): [string, object][] => (states[at] ? [[id, JSON.parse(states[at])]] : [])));
    });
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    this.#timers = [];
    const subscription = await this.#subscription?.catch(() => null);
    if (subscription) {
      const keys = this.#keys;
      await this.#connection
        .run((client) => Promise.all([client.del(keys.stateOf(this.id)), client.zRem(keys.listening, this.id)]))
        .catch(() => undefined);
      subscription.destroy();
    }
    await this.#connection.close();
  }

  async #subscribe(): Promise<Subscriber> {
    const client = createSubscriber(this.#url);
    await this.#showAgain();
    await client.connect();
    await client.subscribe(this.#keys.allChannel, (text) => this.#hear(text));
    await client.subscribe(this.#keys.channelOf(this.id), (text) => this.#pass(text));
    await this.#check().catch(() => undefined);
    this.#timers = [
      setInterval(() => void this.#showAgain().catch(() => undefined), showInterval).unref(),
      setInterval(() => void this.#check().catch(() => undefined), checkInterval).unref(),
    ];
    return client;
  }

  #hear(text: string): void {
    const space = text.indexOf(' ');
    const number = Number(text.slice(0, space));
    const isNext = this.#heard !== null && number === this.#heard + 1;
    if (!isNext && this.#heard !== null) this.#miss();
    this.#heard = number;
    this.#pass(text.slice(space + 1));
  }

  #pass(text: string): void {
    const { topic, note } = JSON.parse(text);
    for (const listener of this.#listeners.get(topic) ?? []) listener.onNote(note);
  }

  #miss(): void {
    for (const listeners of this.#listeners.values()) for (const listener of listeners) listener.onMissed();
  }

  /** Compares the number of the last note with the one in Redis. A note may be on its way, so only a second look is sure. */
  async #check(): Promise<void> {
    const before = this.#heard;
    const count = Number(await this.#connection.run((client) => client.get(this.#keys.count)));
    if (before !== null && this.#heard === before && count !== before) {
      const again = Number(await this.#connection.run((client) => client.get(this.#keys.count)));
      if (this.#heard !== before || again === before) return;
      this.#heard = again;
      this.#miss();
      return;
    }
    this.#heard ??= count;
  }

  async #showAgain(): Promise<void> {
    const keys = this.#keys;
    const now = this.#clock();
    await this.#connection.run((client) =>
      Promise.all([
        client.set(keys.stateOf(this.id), this.#state || '{}', { expiration: { type: 'PX', value: showLifetime } }),
        client.zAdd(keys.listening, { score: now, value: this.id }),
        client.zRemRangeByScore(keys.listening, 0, now - 4 * showLifetime),
        client.pExpire(keys.listening, 4 * showLifetime),
      ]),
    );
  }
}

type Subscriber = ReturnType<typeof createSubscriber>;

/** A connection for notes alone: nothing else may be sent on it. */
function createSubscriber(url: string) {
  const client = createRedisClient({
    url,
    maintNotifications: 'disabled',
    pingInterval: checkInterval,
    socket: {
      connectTimeout: 1_000,
      socketTimeout: 3_000,
      reconnectStrategy: (retries) => Math.min(50 + retries * 50, 500),
    },
  });
  // It connects again by itself, and the count shows what was lost meanwhile.
  client.on('error', () => undefined);
  return client;
}

/** The number of the database that a URL names. */
function databaseOf(url: string): string {
  return new URL(url).pathname.slice(1) || '0';
}

function keysOf(prefix: string, database: string) {
  return {
    /** The number of the last note. */
    count: `${prefix}peers:count`,
    /** Sorted set of the controllers that listen. The score is the time of the last sign of life, in milliseconds since 1970. */
    listening: `${prefix}peers`,
    stateOf: (peerId: string) => `${prefix}peer:${peerId}`,
    // All databases of a Redis have the same channels.
    allChannel: `${prefix}peers:${database}`,
    channelOf: (peerId: string) => `${prefix}peer:${peerId}`,
  };
}
