import type { Clock } from '../../lib/clock.ts';
import type { Run } from './connection.ts';
import type { Member, RedisKeys } from './keys.ts';
import { memberText, parseMember } from './keys.ts';

export const batchSize = 200;
const maxSweepBatches = 20;

/**
 * The indexes of the session keys. They contain every session that exists, and may also contain sessions that ended: a
 * member is added before its key is created and removed after its key has been removed.
 */
export interface SessionIndex {
  add(member: Member, expiresAt: number): Promise<void>;
  remove(members: readonly Member[]): Promise<void>;
  find(id: string): Promise<Member | null>;
  count(key: string): Promise<number>;
  /** Members in the order of their ids, from position `offset`. */
  slice(key: string, offset: number, length: number): Promise<readonly Member[]>;
  /** The next batch of members after the given one, in the order of their ids. */
  after(key: string, member: Member): Promise<readonly Member[]>;
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
        client.zRem(keys.expiry, texts),
      ]),
    );
  };

  const sweepBatch = async (): Promise<boolean> => {
    const due = await run((client) =>
      client.zRange(keys.expiry, '-inf', clock(), { BY: 'SCORE', LIMIT: { offset: 0, count: batchSize } }),
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
    return due.length === batchSize;
  };

  return {
    remove,

    async add(member, expiresAt) {
      const value = memberText(member);
      await run((client) =>
        Promise.all([
          client.zAdd(keys.expiry, { score: expiresAt, value }),
          client.zAdd(keys.ids, { score: 0, value }),
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

    slice: async (key, offset, length) =>
      (await run((client) => client.zRange(key, offset, offset + length - 1))).map(parseMember),

    async after(key, member) {
      const limit = { offset: 0, count: batchSize };
      const from = `(${memberText(member)}`;
      return (await run((client) => client.zRange(key, from, '+', { BY: 'LEX', LIMIT: limit }))).map(parseMember);
    },

    async sweep() {
      for (let batch = 0; batch < maxSweepBatches; batch += 1) if (!(await sweepBatch())) return;
    },
  };
}
