import type { Clock } from '../../../core/time/clock.ts';
import type { OnExpired } from '../session-store.ts';
import { ExpiredSessions } from './expired-sessions.ts';
import type { Member, RedisKeys } from './keys.ts';
import { known, memberText, parseMember, parseMembers } from './keys.ts';
import type { RunScript, Transaction } from './scripts.ts';

/** The number of members that one command reads. */
export const batchSize = 500;
const sweepSize = 200;
const maxSweepBatches = 20;

/** A part of the members of `key` in the order of their ids: all from position `offset` (default 0) on. */
export interface Walk {
  readonly key: string;
  readonly isDescending?: boolean;
  readonly offset?: number;
}

export interface IndexParts {
  readonly run: RunScript;
  readonly keys: RedisKeys;
  readonly clock: Clock;
  /** Gets the ids of sessions that no longer exist, before their members are removed: if it fails, the next sweep finds them again. */
  readonly onGone: (ids: readonly string[]) => Promise<void>;
  /** Gets the sessions that are still there. */
  readonly onExpired: OnExpired;
}

/**
 * The indexes of the session keys. They contain every session that exists, and may also contain sessions that ended: a
 * member is added together with its key and removed after its key has been removed. So they only help to find
 * sessions. Whether a session exists is decided by its key alone.
 */
export class SessionIndex {
  readonly #run: RunScript;
  readonly #keys: RedisKeys;
  readonly #clock: Clock;
  readonly #onGone: IndexParts['onGone'];
  readonly #expired: ExpiredSessions;

  constructor(parts: IndexParts) {
    const { run, keys, clock, onGone } = parts;
    this.#run = run;
    this.#keys = keys;
    this.#clock = clock;
    this.#onGone = onGone;
    this.#expired = new ExpiredSessions(parts);
  }

  /** Adds a member in the transaction that creates its key, so neither can be there without the other. */
  addIn(
    transaction: Transaction,
    member: Member,
    { createdAt, expiresAt }: Record<'createdAt' | 'expiresAt', number>,
  ): void {
    const keys = this.#keys;
    const value = memberText(member);
    transaction
      .zAdd(keys.expiry, { score: expiresAt, value })
      .zAdd(keys.ids, { score: 0, value })
      .zAdd(keys.created, { score: createdAt, value })
      .zAdd(keys.identity(member.identityId), { score: 0, value });
  }

  async remove(members: readonly Member[]): Promise<void> {
    if (members.length === 0) return;
    const keys = this.#keys;
    const texts = members.map(memberText);
    await this.#run((client) =>
      Promise.all([
        ...members.map((member) => client.zRem(keys.identity(member.identityId), memberText(member))),
        ...members.map(({ id }) => client.zRemRangeByLex(keys.serviceSessions, ...rangeWithin(id))),
        client.zRem(keys.ids, texts),
        client.zRem(keys.created, texts),
        client.zRem(keys.expiry, texts),
      ]),
    );
  }

  /** Lets the next sweep check a session that is about to end, in case this controller stops before it has removed the member. */
  async makeDue(member: Member): Promise<void> {
    const due = { score: known, value: memberText(member) };
    await this.#run((client) => client.zAdd(this.#keys.expiry, due, { condition: 'XX' }));
  }

  async find(id: string): Promise<Member | null> {
    // `!` is the character after the space that ends the id.
    const [from, to] = [`[${id} `, `(${id}!`];
    const limit = { offset: 0, count: 1 };
    const [text] = await this.#run((client) => client.zRange(this.#keys.ids, from, to, { BY: 'LEX', LIMIT: limit }));
    const member = text === undefined ? null : parseMember(text);
    return member?.id === id ? member : null;
  }

  /**
   * The number of members. After a sweep it is the number of sessions. It is too high after Redis has evicted sessions,
   * or after a reduction of the timeout setting. Each such session counts until its former expiry.
   */
  count(key: string): Promise<number> {
    return this.#run((client) => client.zCard(key));
  }

  /** At most `length` members from the start of the walk. */
  async slice(walk: Walk, length: number): Promise<readonly Member[]> {
    return parseMembers(await this.#textsFrom(walk, length));
  }

  /** The members whose ids begin with `prefix`. */
  async within(key: string, prefix: string): Promise<readonly Member[]> {
    const [from, to] = rangeWithin(prefix);
    return parseMembers(await this.#run((client) => client.zRange(key, from, to, { BY: 'LEX' })));
  }

  /**
   * All members of the walk, at most `length` at a time. Members that are added or removed meanwhile do not move the
   * others.
   */
  async *batches(walk: Walk, length = batchSize): AsyncGenerator<readonly Member[]> {
    let texts = await this.#textsFrom(walk, length);
    let before: string | null = null;
    for (let last = texts.at(-1); last !== undefined; last = texts.at(-1)) {
      // With other scores than ours, the index has no order, and the walk no end.
      if (before !== null && (walk.isDescending ? last >= before : last <= before)) return;
      yield parseMembers(texts);
      texts = await this.#textsAfter(walk, last, length);
      before = last;
    }
  }

  /** Checks the members whose session may have expired, and removes those whose session no longer exists. */
  async sweep(): Promise<void> {
    for (let batch = 0; batch < maxSweepBatches; batch += 1) if (!(await this.#sweepBatch())) break;
    await this.#expired.recordLeft();
  }

  #textsFrom({ key, isDescending = false, offset = 0 }: Walk, length: number): Promise<readonly string[]> {
    const end = offset + length - 1;
    return this.#run((client) => client.zRange(key, offset, end, { REV: isDescending }));
  }

  #textsAfter({ key, isDescending = false }: Walk, text: string, count: number): Promise<readonly string[]> {
    const order = { BY: 'LEX', REV: isDescending, LIMIT: { offset: 0, count } } as const;
    return this.#run((client) => client.zRange(key, `(${text}`, isDescending ? '-' : '+', order));
  }

  /** Returns whether there may be more. */
  async #sweepBatch(): Promise<boolean> {
    const keys = this.#keys;
    const limit = { offset: 0, count: sweepSize };
    const due = await this.#run((client) =>
      client.zRange(keys.expiry, '-inf', this.#clock(), { BY: 'SCORE', LIMIT: limit }),
    );
    if (due.length === 0) return false;
    const members = parseMembers(due);
    const foreign = due.filter((text) => parseMember(text) === null);
    if (foreign.length > 0) await this.#run((client) => client.zRem(keys.expiry, foreign));
    const remaining = await this.#run((client) =>
      Promise.all(members.map((member) => client.pTTL(keys.session(member.tokenHash)))),
    );
    const now = this.#clock();
    const isRemoved = (at: number) => remaining[at] === -2;
    const postponed = members.flatMap((member, at) =>
      isRemoved(at) ? [] : [{ value: memberText(member), score: now + Math.max(remaining[at] ?? 0, 1) }],
    );
    if (postponed.length > 0) {
      await this.#run((client) => client.zAdd(keys.expiry, postponed, { condition: 'XX' }));
    }
    const gone = members.filter((_, at) => isRemoved(at));
    if (gone.length > 0) await this.#onGone(gone.map(({ id }) => id));
    const expired = await this.#expired.takeOver(gone);
    await this.remove(gone);
    await this.#expired.record(expired);
    return due.length === sweepSize;
  }
}

/** The members whose ids begin with `prefix`, in the order of the ids. `~` is greater than all characters of ids. */
function rangeWithin(prefix: string): readonly [from: string, to: string] {
  return [`[${prefix}`, `(${prefix}~`];
}
