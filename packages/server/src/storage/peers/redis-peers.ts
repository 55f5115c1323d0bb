import { setTimeout as sleep } from 'node:timers/promises';
import { defineScript } from 'redis';
import type { z } from 'zod';
import { shortId } from '../../core/secrets/ids.ts';
import type { Sealer } from '../../core/secrets/sealer.ts';
import type { Clock } from '../../core/time/clock.ts';
import { createLazyConnection } from '../database/redis/lazy-connection.ts';
import { PeerListeners } from './peer-listeners.ts';
import type { PeerSeal, Said } from './peer-seal.ts';
import { createPeerSeal, maxClockDifference } from './peer-seal.ts';
import type { PeerListener, Peers } from './peers.ts';
import { ReceivedMessages } from './received-messages.ts';
import type { PeerKeys } from './redis-keys.ts';
import { redisKeys } from './redis-keys.ts';
import { ShownStates, showLifetime, statePlace } from './shown-states.ts';
import type { Subscriber } from './subscriber.ts';
import { createSubscriber } from './subscriber.ts';
import type { Topic } from './topics.ts';

/** Milliseconds. */
const showInterval = 1_000;
const checkInterval = 1_000;
/** At least between two times at which all listeners read everything again. */
const missInterval = 1_000;
/** Between two warnings with the same reason. */
const warnInterval = 3_600_000;
/** Milliseconds: the time in which a message must be sent, and the pause before it is sent again. */
const [publishTime, publishPause] = [600, 20];
/** Controllers of one network. */
const maxPeers = 1_000;

type Parser = Parameters<Parameters<typeof defineScript>[0]['parseCommand']>[0];

/**
 * Counts a message and publishes it in one step, so that nobody gets a message without its number. When the list of listeners in
 * Redis is empty and this controller does not listen, it does nothing. A listener always publishes, because somebody else may
 * have emptied the list.
 */
const publishMessage = defineScript({
  NUMBER_OF_KEYS: 2,
  SCRIPT: `
    if ARGV[3] == '0' and redis.call('EXISTS', KEYS[2]) == 0 then return 0 end
    local number = redis.call('INCR', KEYS[1])
    redis.call('PUBLISH', ARGV[1], number .. ' ' .. ARGV[2])
    return number`,
  parseCommand(parser: Parser, { count, listening, allChannel }: PeerKeys, text: string, isListening: boolean) {
    parser.pushKey(count);
    parser.pushKey(listening);
    parser.push(allChannel, text, isListening ? '1' : '0');
  },
  transformReply: (reply: unknown) => reply as number,
});

const scripts = { publishMessage };

interface Options {
  readonly url: string;
  readonly clock: Clock;
  /** Seals what controllers say. All of them have the same key. */
  readonly sealer: Promise<Sealer>;
  /** Gets what was found in Redis and ignored: each reason once an hour. */
  readonly warn: (message: string) => void;
  readonly prefix?: string;
}

/** The peers of a controller whose sessions are in Redis. Connections open when they are first used. */
export function createRedisPeers(options: Options): Peers {
  return new RedisPeers(options);
}

class RedisPeers implements Peers {
  readonly id = shortId();
  readonly #options: Options;
  readonly #keys: PeerKeys;
  readonly #connection: ReturnType<typeof createLazyConnection<typeof scripts>>;
  readonly #listeners = new PeerListeners();
  readonly #received = new ReceivedMessages();
  readonly #warnedAt = new Map<string, number>();
  #sealing: Promise<{ readonly seal: PeerSeal; readonly states: ShownStates }> | null = null;
  #subscription: Promise<Subscriber> | null = null;
  #timers: NodeJS.Timeout[] = [];
  /** The number of the last message. `null`: not known, so that messages may be lost. */
  #lastNumber: number | null = null;
  #missing: NodeJS.Timeout | null = null;
  #missedAt = Number.NEGATIVE_INFINITY;
  /** JSON. */
  #state = '{}';

  constructor(options: Options) {
    this.#options = options;
    this.#keys = redisKeys(options.prefix ?? 'edge:', options.url);
    this.#connection = createLazyConnection(options.url, scripts);
  }

  async publish<Message extends object>({ name: topic }: Topic<Message>, message: Message): Promise<void> {
    const keys = this.#keys;
    const { seal } = await this.#opened();
    const text = seal.write(publishPlace(keys.allChannel), JSON.stringify({ topic, note: message }));
    const giveUpAt = performance.now() + publishTime;
    for (;;) {
      try {
        await this.#connection.run((client) => client.publishMessage(keys, text, this.#subscription !== null));
        return;
      } catch (error) {
        // After an outage this connection may be back a moment later than the one that has just changed a session.
        if (performance.now() > giveUpAt) throw error;
        await sleep(publishPause);
      }
    }
  }

  async sendToOne<Message extends object>(
    peerId: string,
    { name: topic }: Topic<Message>,
    message: Message,
  ): Promise<void> {
    const channel = this.#keys.channelOf(peerId);
    const { seal } = await this.#opened();
    const text = seal.write(publishPlace(channel), JSON.stringify({ topic, note: message }));
    await this.#connection.run((client) => client.publish(channel, text));
  }

  async listen<Message extends object>(topic: Topic<Message>, listener: PeerListener<Message>): Promise<() => void> {
    const remove = this.#listeners.add(topic, listener);
    this.#subscription ??= this.#subscribe();
    await this.#subscription;
    return remove;
  }

  async show(state: object): Promise<void> {
    this.#state = JSON.stringify(state);
    await this.#showAgain();
  }

  async shown<State extends object>(schema: z.ZodType<State>): Promise<ReadonlyMap<string, State>> {
    const keys = this.#keys;
    const { states } = await this.#opened();
    return this.#connection.run(async (client) => {
      const listening = await client.zRange(keys.listening, 0, maxPeers - 1);
      const ids = [...new Set([...states.ids(), ...listening])].filter((id) => id !== this.id);
      if (ids.length === 0) return new Map();
      const texts = await client.mGet(ids.map(keys.stateOf));
      for (const [at, id] of ids.entries()) if (texts[at]) states.read(id, texts[at], schema);
      return states.all();
    });
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    this.#timers = [];
    if (this.#missing) clearTimeout(this.#missing);
    const subscription = await this.#subscription?.catch(() => null);
    if (subscription) {
      // The others would take it for alive until what it shows is out of date.
      this.#state = 'null';
      await this.#showAgain().catch(() => undefined);
      subscription.destroy();
    }
    await this.#connection.close();
  }

  #opened() {
    this.#sealing ??= this.#options.sealer.then((sealer) => {
      const { clock } = this.#options;
      const seal = createPeerSeal(this.id, { sealer, clock });
      const refuse = (reason: string) => this.#refuse(reason);
      return { seal, states: new ShownStates({ seal, clock, keyOf: this.#keys.stateOf, refuse }) };
    });
    return this.#sealing;
  }

  async #subscribe(): Promise<Subscriber> {
    const client = createSubscriber(this.#options.url);
    const { seal } = await this.#opened();
    const { allChannel, channelOf } = this.#keys;
    await this.#showAgain();
    await client.connect();
    await client.subscribe(allChannel, (text) => this.#receive(seal, text));
    await client.subscribe(channelOf(this.id), (text) => this.#receiveOne(seal, text));
    await this.#check().catch(() => undefined);
    this.#timers = [
      setInterval(() => void this.#showAgain().catch(() => undefined), showInterval).unref(),
      setInterval(() => void this.#check().catch(() => undefined), checkInterval).unref(),
    ];
    return client;
  }

  /** A message for all, behind its number. The number is from Redis: it says only whether another message was lost. */
  #receive(seal: PeerSeal, text: string): void {
    const [, count = '', sealed = ''] = /^(\d{1,15}) (.*)$/s.exec(text) ?? [];
    const number = Number(count);
    const isNext = this.#lastNumber !== null && number === this.#lastNumber + 1;
    const said = this.#read(seal, this.#keys.allChannel, sealed);
    if (said === null) return;
    if (said.isNew && !isNext && this.#lastNumber !== null) this.#miss();
    if (said.isNew || isNext) this.#lastNumber = number;
    if (said.isNew) this.#pass(said);
  }

  /** A message for this controller alone. */
  #receiveOne(seal: PeerSeal, text: string): void {
    const said = this.#read(seal, this.#keys.channelOf(this.id), text);
    if (said?.isNew) this.#pass(said);
  }

  /** `null`: no controller has said it. What is not new says nothing either. */
  #read(seal: PeerSeal, channel: string, text: string): (Said & { readonly isNew: boolean }) | null {
    const said = seal.read(publishPlace(channel), text);
    if (said === null) {
      this.#refuse('a message that no controller has sent');
      return null;
    }
    if (!this.#received.add(said)) {
      this.#refuse('a message that was received before');
      return { ...said, isNew: false };
    }
    if (Math.abs(this.#options.clock() - said.at) <= maxClockDifference) return { ...said, isNew: true };
    this.#refuse('a message of another time: it is old, or the clock of its controller differs');
    this.#miss();
    return { ...said, isNew: false };
  }

  #pass({ json, from }: Said): void {
    try {
      const { topic, note: message } = JSON.parse(json);
      if (!this.#listeners.deliver({ topic, message, from }))
        this.#refuse(`a message about ${topic} that this version does not know`);
    } catch (error) {
      // An exception here would end the process.
      this.#refuse(`a message that cannot be used (${error})`);
    }
  }

  /** Lets the listeners read everything again: at once, but not more often than they can. */
  #miss(): void {
    if (this.#missing) return;
    const wait = this.#missedAt + missInterval - performance.now();
    const miss = () => {
      this.#missing = null;
      this.#missedAt = performance.now();
      this.#listeners.miss();
    };
    if (wait <= 0) miss();
    else this.#missing = setTimeout(miss, wait).unref();
  }

  #refuse(reason: string): void {
    const now = performance.now();
    if (now - (this.#warnedAt.get(reason) ?? Number.NEGATIVE_INFINITY) < warnInterval) return;
    this.#warnedAt.set(reason, now);
    this.#options.warn(`ignored in Redis, among what controllers send each other: ${reason}`);
  }

  /** Compares the number of the last message with the one in Redis. A message may be on its way, so only a second read is sure. */
  async #check(): Promise<void> {
    const before = this.#lastNumber;
    const count = await this.#readCount();
    if (before !== null && this.#lastNumber === before && count !== before) {
      const again = await this.#readCount();
      if (this.#lastNumber !== before || again === before) return;
      this.#lastNumber = again;
      this.#miss();
      return;
    }
    this.#lastNumber ??= count;
  }

  async #readCount(): Promise<number> {
    return Number(await this.#connection.run((client) => client.get(this.#keys.count)));
  }

  async #showAgain(): Promise<void> {
    const keys = this.#keys;
    const key = keys.stateOf(this.id);
    const { seal } = await this.#opened();
    const now = this.#options.clock();
    await this.#connection.run((client) =>
      Promise.all([
        client.set(key, seal.write(statePlace(key), this.#state), {
          expiration: { type: 'PX', value: showLifetime },
        }),
        client.zAdd(keys.listening, { score: now, value: this.id }),
        client.zRemRangeByScore(keys.listening, 0, now - 4 * showLifetime),
        client.pExpire(keys.listening, 4 * showLifetime),
      ]),
    );
  }
}

function publishPlace(channel: string): string {
  return `note ${channel}`;
}
