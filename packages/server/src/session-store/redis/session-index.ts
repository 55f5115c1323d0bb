import type { Clock } from '../../lib/clock.ts';
import type { Member, RedisKeys } from './keys.ts';
import { memberText, parseMember } from './keys.ts';
import type { Run } from './scripts.ts';

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

/**
 * The indexes of the session keys. They contain every session that exists, and may also contain sessions that ended: a
 * member is added before its key is created and removed after its key has been removed. So they only help to find
 * sessions. Whether a session exists is decided by its key alone.
 */
export interface SessionIndex {
  add(member: Member, times: { readonly createdAt: number; readonly expiresAt: number }): Promise<void>;
  remove(members: readonly Member[]): Promise<void>;
  find(id: string): Promise<Member | null>;
  /**
   * The number of members. After a sweep it is the number of sessions. Too many are counted only when Redis evicted
   * sessions or the timeout setting was reduced, until the time at which these sessions were to expire before that.
   */
  count(key: string): Promise<number>;
  /** At most `length` members from the start of the walk. */
  slice(walk: Walk, length: number): Promise<readonly Member[]>;
  /**
   * All members of the walk, at most `length` at a time. Members that are added or removed meanwhile do not move the
   * others.
   */
  batches(walk: Walk, length?: number): AsyncGenerator<readonly Member[]>;
  /** Checks the members whose session may have expired, and removes those whose session no longer exists. */
  sweep(): Promise<void>;
}

export function createSessionIndex({ run, keys, clock }: { run: Run; keys: RedisKeys; clock: Clock }): SessionIndex {
  const remove = async (members: readonly Member[]): Promise<void> => {
    if (members.length === 0) return;
    const texts = members.map(memberText);
    await run((client) =>
      Promise.all([
        ...members.map((member) => client.zRem(keys.identity(member.identityId), memberText(member))),
        client.zRem(keys.ids, texts),
        client.zRem(keys.created, texts),
        client.zRem(keys.expiry, texts),
      ]),
    );
  };

  const sweepBatch = async (): Promise<boolean> => {
    const due = await run((client) =>
      client.zRange(keys.expiry, '-inf', clock(), { BY: 'SCORE', LIMIT: { offset: 0, count: sweepSize } }),
    );
    if (due.length === 0) return false;
    const members = due.map(parseMember);
    const remaining = await run((client) =>
      Promise.all(members.map((member) => client.pTTL(keys.session(member.tokenHash)))),
    );
    const now = clock();
    const isRemoved = (at: number) => remaining[at] === -2;
    const postponed = due.flatMap((value, at) =>
      isRemoved(at) ? [] : [{ value, score: now + Math.max(remaining[at] ?? 0, 1) }],
    );
    if (postponed.length > 0) await run((client) => client.zAdd(keys.expiry, postponed, { condition: 'XX' }));
    await remove(members.filter((_, at) => isRemoved(at)));
    return due.length === sweepSize;
  };

  const slice: SessionIndex['slice'] = async ({ key, isDescending = false, offset = 0 }, length) =>
    (await run((client) => client.zRange(key, offset, offset + length - 1, { REV: isDescending }))).map(parseMember);

  const after = async ({ key, isDescending = false }: Walk, member: Member, count: number) => {
    const order = { BY: 'LEX', REV: isDescending, LIMIT: { offset: 0, count } } as const;
    const end = isDescending ? '-' : '+';
    return (await run((client) => client.zRange(key, `(${memberText(member)}`, end, order))).map(parseMember);
  };

  return {
    remove,
    slice,

    async add(member, { createdAt, expiresAt }) {
      const value = memberText(member);
      await run((client) =>
        Promise.all([
          client.zAdd(keys.expiry, { score: expiresAt, value }),
          client.zAdd(keys.ids, { score: 0, value }),
          client.zAdd(keys.created, { score: createdAt, value }),
          client.zAdd(keys.identity(member.identityId), { score: 0, value }),
        ]),
      );
    },

    async find(id) {
      const limit = { offset: 0, count: 1 };
      // `!` is the character after the space that ends the id.
      const [text] = await run((client) => client.zRange(keys.ids, `[${id} `, `(${id}!`, { BY: 'LEX', LIMIT: limit }));
      const member = text === undefined ? null : parseMember(text);
      return member?.id === id ? member : null;
    },

    count: (key) => run((client) => client.zCard(key)),

    async *batches(walk, length = batchSize) {
      let batch = await slice(walk, length);
      for (let last = batch.at(-1); last; last = batch.at(-1)) {
        yield batch;
        batch = await after(walk, last, length);
      }
    },

    async sweep() {
      for (let batch = 0; batch < maxSweepBatches; batch += 1) if (!(await sweepBatch())) return;
    },
  };
}
