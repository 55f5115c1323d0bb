import { randomUUID } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';
import type { SessionStore } from '../session-store.ts';
import { connectWhenUsed } from './connect-when-used.ts';
import { connectRedis } from './connection.ts';
import { pieceLength } from './index-of-sessions.ts';
import type { Member } from './keys.ts';
import { redisKeys } from './keys.ts';
import { createSessionList } from './list-sessions.ts';
import { createSessionReader } from './session-reader.ts';
import type { StoredRecord } from './stored-record.ts';
import { parseRecord } from './stored-record.ts';
import { createTouch } from './touch-turn.ts';

const sweepInterval = 1_000;

/**
 * API sessions in Redis, for any number of processes. One session is one key with one TTL. `timeout` in milliseconds.
 * `Error` when Redis cannot be reached within 5 seconds.
 */
export async function openRedisSessionStore({
  url,
  timeout,
  clock,
  keyPrefix = 'edge:',
}: {
  url: string;
  timeout: number;
  clock: Clock;
  keyPrefix?: string;
}): Promise<SessionStore> {
  const connection = await connectRedis(url);
  const { run } = connection;
  const keys = redisKeys(keyPrefix);
  const brief = createSessionReader({ run, keys, clock });
  const { index, load } = brief;
  const scans = connectWhenUsed(url);

  /** Replaces members of a record; false when the session is gone. */
  const change = async (tokenHash: string, members: Partial<StoredRecord>): Promise<boolean> => {
    const key = keys.session(tokenHash);
    for (;;) {
      const before = await run((client) => client.hGet(key, 'record'));
      if (!before) return false;
      const after = JSON.stringify({ ...parseRecord(before), ...members });
      if (await run((client) => client.replaceSession(key, before, after))) return true;
    }
  };

  const removeMember = async (member: Member): Promise<boolean> => {
    const isWinner = (await run((client) => client.del(keys.session(member.tokenHash)))) === 1;
    // One that was gone already may be just about to be made: the sweep judges it when it would have expired.
    if (isWinner) await index.drop([member]);
    return isWinner;
  };

  const timer = setInterval(() => {
    // Nothing is wrong while Redis is away: the members wait for the next round.
    index.sweep().catch(() => undefined);
  }, sweepInterval).unref();

  return {
    async create(record) {
      const now = clock();
      await index.add(record, now + timeout);
      const key = keys.session(record.tokenHash);
      const text = JSON.stringify({ ...record, timeout } satisfies StoredRecord);
      await run((client) => client.multi().hSet(key, 'record', text).pExpire(key, timeout).exec());
      return { ...record, lastActivityAt: now, expiresAt: now + timeout };
    },

    touch: createTouch({ connection, keys, timeout, clock, change }),

    update: (tokenHash, flags) => change(tokenHash, { ...flags, updatedAt: clock() }),

    async find(id) {
      const member = await index.find(id);
      if (!member) return null;
      const [session] = await load([member]);
      return session ?? null;
    },

    async remove(id) {
      const member = await index.find(id);
      return member ? removeMember(member) : false;
    },

    async removeByIdentity(identityId, { exceptId, authenticatorId } = {}) {
      const key = keys.identity(identityId);
      let removed = 0;
      let piece = await index.slice(key, 0, pieceLength);
      while (piece.length > 0) {
        const made =
          authenticatorId === undefined
            ? piece
            : (await load(piece)).filter((session) => session.authenticatorId === authenticatorId);
        const won = await Promise.all(made.filter(({ id }) => id !== exceptId).map(removeMember));
        removed += won.filter(Boolean).length;
        const last = piece.at(-1);
        piece = last ? await index.after(key, last) : [];
      }
      return removed;
    },

    list: createSessionList({ keys, brief, long: createSessionReader({ run: scans.run, keys, clock }) }),

    async identitiesWithSessions(identityIds) {
      const living = await Promise.all(
        identityIds.map(async (identityId) => {
          const key = keys.identity(identityId);
          let piece = await index.slice(key, 0, 10);
          while (piece.length > 0) {
            const members = piece;
            const exist = await run((client) =>
              Promise.all(members.map((member) => client.exists(keys.session(member.tokenHash)))),
            );
            if (exist.includes(1)) return true;
            const last = members.at(-1);
            piece = last ? await index.after(key, last) : [];
          }
          return false;
        }),
      );
      return new Set(identityIds.filter((_, at) => living[at]));
    },

    async bumpVersion() {
      // Random, not counted: a counter lost with its server could come back to a value that was seen before.
      await run((client) => client.set(keys.version, randomUUID()));
    },

    async close() {
      clearInterval(timer);
      await Promise.all([connection.close(), scans.close()]);
    },
  };
}
