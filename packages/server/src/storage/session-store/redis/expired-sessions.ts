import type { Clock } from '../../../core/time/clock.ts';
import type { OnExpired } from '../session-store.ts';
import type { Member, RedisKeys } from './keys.ts';
import { memberText, parseMember, parseMembers } from './keys.ts';
import type { RunScript } from './scripts.ts';

/** Milliseconds after which a controller that has taken a session over, and has not recorded it, is taken for dead. */
const patience = 30_000;
const batchSize = 200;

interface ExpiredSessionsOptions {
  readonly run: RunScript;
  readonly keys: RedisKeys;
  readonly clock: Clock;
  readonly onExpired: OnExpired;
}

/**
 * API sessions that have expired and are not recorded yet. They wait in a set of their own. One controller records them. When it dies or
 * cannot write its audit log, another one does.
 */
export class ExpiredSessions {
  readonly #run: RunScript;
  readonly #key: string;
  readonly #expiry: string;
  readonly #clock: Clock;
  readonly #onExpired: OnExpired;

  constructor({ run, keys, clock, onExpired }: ExpiredSessionsOptions) {
    this.#run = run;
    this.#key = keys.expired;
    this.#expiry = keys.expiry;
    this.#clock = clock;
    this.#onExpired = onExpired;
  }

  /** Takes over the members whose end no controller has recorded yet, and returns them. No other controller gets the same ones. */
  async takeOver(members: readonly Member[]): Promise<readonly Member[]> {
    if (members.length === 0) return [];
    const texts = members.map(memberText);
    const isTaken = await this.#run((client) =>
      client.takeOverExpired(this.#expiry, this.#key, this.#clock() + patience, texts),
    );
    return members.filter((_, at) => isTaken[at]);
  }

  async record(members: readonly Member[]): Promise<void> {
    if (members.length === 0) return;
    await this.#onExpired(members);
    await this.#run((client) => client.zRem(this.#key, members.map(memberText)));
  }

  /** Records those that a controller has taken over some time ago. It may have recorded them before it died. */
  async recordLeft(): Promise<void> {
    const now = this.#clock();
    const limit = { offset: 0, count: batchSize };
    const left = await this.#run((client) => client.zRange(this.#key, '-inf', now, { BY: 'SCORE', LIMIT: limit }));
    if (left.length === 0) return;
    const taken = left.map((value) => ({ score: now + patience, value }));
    await this.#run((client) => client.zAdd(this.#key, taken, { condition: 'XX' }));
    const foreign = left.filter((text) => parseMember(text) === null);
    if (foreign.length > 0) await this.#run((client) => client.zRem(this.#key, foreign));
    await this.record(parseMembers(left));
  }
}
