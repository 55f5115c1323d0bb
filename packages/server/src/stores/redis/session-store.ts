import { randomUUID } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';
import type { SessionStore } from '../session-store.ts';
import { createBatchedTouch } from './batched-touch.ts';
import { connectRedis } from './connection.ts';
import type { Member } from './keys.ts';
import { redisKeys } from './keys.ts';
import { createLazyConnection } from './lazy-connection.ts';
import { createSessionList } from './list-sessions.ts';
import { batchSize } from './session-index.ts';
import { createSessionReader } from './session-reader.ts';
import type { StoredRecord } from './stored-record.ts';
import { parseRecord } from './stored-record.ts';

const sweepInterval = 1_000;

/**
 * Opens the store of API sessions in Redis, for any number of processes. One session is one key with one TTL.
 *
 * @param timeout milliseconds without a touch after which a session expires
 * @throws StoreUnusable when Redis cannot be reached within 5 seconds
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
  const reader = createSessionReader({ run, keys, clock });
  const { index, load } = reader;
  const scanConnection = createLazyConnection(url);

  /** Replaces members of a record. False when the session does not exist. */
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
    const isRemoved = (await run((client) => client.del(keys.session(member.tokenHash)))) === 1;
    // Without a key, another process may be creating this session. The sweep checks its member after the timeout.
    if (isRemoved) await index.remove([member]);
    return isRemoved;
  };

  const timer = setInterval(() => {
    // While Redis is unreachable, the members stay until the next sweep.
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

    touch: createBatchedTouch({ connection, keys, timeout, clock, change }),

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
      let batch = await index.slice(key, 0, batchSize);
      while (batch.length > 0) {
        const candidates =
          authenticatorId === undefined
            ? batch
            : (await load(batch)).filter((session) => session.authenticatorId === authenticatorId);
        const results = await Promise.all(candidates.filter(({ id }) => id !== exceptId).map(removeMember));
        removed += results.filter(Boolean).length;
        const last = batch.at(-1);
        batch = last ? await index.after(key, last) : [];
      }
      return removed;
    },

    list: createSessionList({
      keys,
      reader,
      scanReader: createSessionReader({ run: scanConnection.run, keys, clock }),
    }),

    async identitiesWithSessions(identityIds) {
      const hasSession = await Promise.all(
        identityIds.map(async (identityId) => {
          const key = keys.identity(identityId);
          let batch = await index.slice(key, 0, 10);
          while (batch.length > 0) {
            const members = batch;
            const counts = await run((client) =>
              Promise.all(members.map((member) => client.exists(keys.session(member.tokenHash)))),
            );
            if (counts.includes(1)) return true;
            const last = members.at(-1);
            batch = last ? await index.after(key, last) : [];
          }
          return false;
        }),
      );
      return new Set(identityIds.filter((_, at) => hasSession[at]));
    },

    async bumpVersion() {
      // A random value, not a counter: after a loss of data, a counter could reach an earlier value again.
      await run((client) => client.set(keys.version, randomUUID()));
    },

    async close() {
      clearInterval(timer);
      await Promise.all([connection.close(), scanConnection.close()]);
    },
  };
}
