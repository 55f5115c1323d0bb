import type { Clock } from '../../lib/clock.ts';
import type { Run } from './connection.ts';
import type { Member, RedisKeys } from './keys.ts';
import { memberText, parseMember } from './keys.ts';

export const pieceLength = 200;
const maxPieces = 20;

/**
 * The indexes beside the session keys. They may name a session that is gone, never miss one that lives: a member is
 * added before its key is made and taken away after its key is gone.
 */
export interface SessionIndex {
  add(member: Member, expiresAt: number): Promise<void>;
  drop(members: readonly Member[]): Promise<void>;
  find(id: string): Promise<Member | null>;
  count(key: string): Promise<number>;
  /** Members in the order of their ids, by position. */
  slice(key: string, offset: number, length: number): Promise<readonly Member[]>;
  /** Members in the order of their ids, after a given one. */
  after(key: string, member: Member): Promise<readonly Member[]>;
  /** Looks at the members that are due and drops those whose session is gone. */
  sweep(): Promise<void>;
}

export function createSessionIndex({ run, keys, clock }: { run: Run; keys: RedisKeys; clock: Clock }): SessionIndex {
  const drop = async (members: readonly Member[]): Promise<void> => {
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

  const sweepPiece = async (): Promise<boolean> => {
    const due = await run((client) =>
      client.zRange(keys.expiry, '-inf', clock(), { BY: 'SCORE', LIMIT: { offset: 0, count: pieceLength } }),
    );
    if (due.length === 0) return false;
    const members = due.map(parseMember);
    const left = await run((client) =>
      Promise.all(members.map((member) => client.pTTL(keys.session(member.tokenHash)))),
    );
    const now = clock();
    const isGone = (at: number) => left[at] === -2;
    const later = due.flatMap((value, at) => (isGone(at) ? [] : [{ value, score: now + Math.max(left[at] ?? 0, 1) }]));
    if (later.length > 0) await run((client) => client.zAdd(keys.expiry, later, { condition: 'XX' }));
    await drop(members.filter((_, at) => isGone(at)));
    return due.length === pieceLength;
  };

  return {
    drop,

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
      const limit = { offset: 0, count: pieceLength };
      const from = `(${memberText(member)}`;
      return (await run((client) => client.zRange(key, from, '+', { BY: 'LEX', LIMIT: limit }))).map(parseMember);
    },

    async sweep() {
      for (let piece = 0; piece < maxPieces; piece += 1) if (!(await sweepPiece())) return;
    },
  };
}
