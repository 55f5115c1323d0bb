import { randomUUID } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';
import type { ApiSessionRecord, LiveApiSession, SessionStore } from '../session-store.ts';
import type { Waiting } from '../waiting-touch.ts';
import { connectRedis } from './connection.ts';
import { createSessionIndex, pieceLength } from './index-of-sessions.ts';
import type { Member } from './keys.ts';
import { redisKeys } from './keys.ts';
import { listSessions } from './list-sessions.ts';

/** What the field `record` of a session's key holds. `timeout`: the one its TTL was last set to, in milliseconds. */
interface StoredRecord extends ApiSessionRecord {
  readonly timeout: number;
}

const sweepInterval = 1_000;
/** Redis serves nobody else while a script runs. */
const touchesAtOnce = 100;

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
  const index = createSessionIndex({ connection, keys, clock });

  let turn: Waiting[] | null = null;
  /** All touches of an event-loop turn in one round trip, with one read of the version that is sent when all are known. */
  const beginTurn = (): Waiting[] => {
    const batch: Waiting[] = [];
    const endTurn = () => {
      if (turn === batch) turn = null;
    };
    run((client) => {
      const records = new Promise<readonly (string | null)[]>((resolve, reject) => {
        setImmediate(() => {
          endTurn();
          const pieces = Array.from({ length: Math.ceil(batch.length / touchesAtOnce) }, (_, at) =>
            batch.slice(at * touchesAtOnce, (at + 1) * touchesAtOnce).map(({ tokenHash }) => keys.session(tokenHash)),
          );
          Promise.all(pieces.map((piece) => client.touchSessions(piece, timeout))).then(
            (found) => resolve(found.flat()),
            reject,
          );
        });
      });
      // The client writes in an immediate of its own, made here: after the one above, in the same turn.
      return Promise.all([records, client.get(keys.version)]);
    }).then(
      ([records, counter]) => {
        const version = `${connection.epoch()}:${counter ?? ''}`;
        for (const [at, touch] of batch.entries()) settle(touch, records[at] ?? null, version);
      },
      (error) => {
        endTurn();
        for (const { reject } of batch) reject(error);
      },
    );
    return batch;
  };

  const settle = ({ tokenHash, resolve, reject }: Waiting, text: string | null, version: string) => {
    if (text === null) return resolve({ session: null, version });
    const now = clock();
    const record = parseRecord(text);
    const session = Object.assign(record, { lastActivityAt: now, expiresAt: now + timeout });
    // The setting was changed since this session was written.
    if (record.timeout !== timeout) change(tokenHash, { timeout }).then(() => resolve({ session, version }), reject);
    else resolve({ session, version });
  };

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

  const load = async (members: readonly Member[]): Promise<readonly LiveApiSession[]> => {
    if (members.length === 0) return [];
    const read = await run((client) =>
      Promise.all(
        members.map(async ({ tokenHash }) => {
          const key = keys.session(tokenHash);
          const [text, left] = await Promise.all([client.hGet(key, 'record'), client.pTTL(key)]);
          return { text, left };
        }),
      ),
    );
    const now = clock();
    return read.flatMap(({ text, left }) => {
      if (!text || left < 0) return [];
      // The TTL counts down from the timeout of the last touch, whatever the setting is now.
      const { timeout: used, ...record } = parseRecord(text);
      return [{ ...record, lastActivityAt: now + left - used, expiresAt: now + left }];
    });
  };

  const removeMember = async (member: Member): Promise<boolean> => {
    const isWinner = (await run((client) => client.del(keys.session(member.tokenHash)))) === 1;
    // One that was gone already may be just about to be made: the sweep judges it when it would have expired.
    if (isWinner) await index.drop([member]);
    return isWinner;
  };

  let lastScan: Promise<unknown> = Promise.resolve();
  const oneAtATime = <T>(scan: () => Promise<T>): Promise<T> => {
    const next = lastScan.then(scan);
    lastScan = next.catch(() => undefined);
    return next;
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

    touch: (tokenHash) =>
      new Promise((resolve, reject) => {
        turn ??= beginTurn();
        turn.push({ tokenHash, resolve, reject });
      }),

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

    async removeByIdentity(identityId) {
      const key = keys.identity(identityId);
      let removed = 0;
      let piece = await index.slice(key, 0, pieceLength);
      while (piece.length > 0) {
        const won = await Promise.all(piece.map(removeMember));
        removed += won.filter(Boolean).length;
        const last = piece.at(-1);
        piece = last ? await index.after(key, last) : [];
      }
      return removed;
    },

    list: (query) => listSessions({ index, keys, load, oneAtATime }, query),

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
      await connection.close();
    },
  };
}

function parseRecord(text: string): StoredRecord {
  return JSON.parse(text) as StoredRecord;
}
