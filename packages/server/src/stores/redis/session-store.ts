import { randomUUID } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';
import type { SessionStore } from '../session-store.ts';
import { createBatchedTouch } from './batched-touch.ts';
import { connectRedis } from './connection.ts';
import { createCreationIndex } from './creation-index.ts';
import type { Member } from './keys.ts';
import { redisKeys } from './keys.ts';
import { createLazyConnection } from './lazy-connection.ts';
import { createSessionList } from './list-sessions.ts';
import { createSessionReader } from './session-reader.ts';
import type { StoredRecord } from './stored-record.ts';
import { parseRecord } from './stored-record.ts';

const sweepInterval = 1_000;
const repairInterval = 60_000;

/**
 * Opens the store of API sessions in Redis, for any number of processes. One session is one key with one TTL.
 *
 * @param timeout milliseconds without a touch after which a session expires
 * @param listTimeLimit milliseconds that a list may take; the default is 2 seconds
 * @throws StoreUnusable when Redis cannot be reached within 5 seconds
 */
export async function openRedisSessionStore({
  url,
  timeout,
  clock,
  keyPrefix = 'edge:',
  listTimeLimit = 2_000,
}: {
  url: string;
  timeout: number;
  clock: Clock;
  keyPrefix?: string;
  listTimeLimit?: number;
}): Promise<SessionStore> {
  const connection = await connectRedis(url);
  const { run } = connection;
  const keys = redisKeys(keyPrefix);
  const reader = createSessionReader({ run, keys, clock });
  const { index, load } = reader;
  const scanConnection = createLazyConnection(url);
  const scanReader = createSessionReader({ run: scanConnection.run, keys, clock });
  const creationIndex = createCreationIndex({ run, scanRun: scanConnection.run, scanReader, keys });

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

  // What fails while Redis is unreachable is done at the next interval.
  const sweep = () => void index.sweep().catch(() => undefined);
  const repair = () => void creationIndex.repair().catch(() => undefined);
  const timers = [setInterval(sweep, sweepInterval).unref(), setInterval(repair, repairInterval).unref()];
  repair();

  return {
    async create(record) {
      const now = clock();
      await index.add(record, { createdAt: record.createdAt, expiresAt: now + timeout });
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
      let removed = 0;
      for await (const batch of index.batches({ key: keys.identity(identityId) })) {
        const candidates =
          authenticatorId === undefined
            ? batch
            : (await load(batch)).filter((session) => session.authenticatorId === authenticatorId);
        const results = await Promise.all(candidates.filter(({ id }) => id !== exceptId).map(removeMember));
        removed += results.filter(Boolean).length;
      }
      return removed;
    },

    list: createSessionList({ keys, reader, scanReader, creationIndex, timeLimit: listTimeLimit }),

    async identitiesWithSessions(identityIds) {
      const hasSession = await Promise.all(
        identityIds.map(async (identityId) => {
          for await (const members of index.batches({ key: keys.identity(identityId) }, 10)) {
            const counts = await run((client) =>
              Promise.all(members.map((member) => client.exists(keys.session(member.tokenHash)))),
            );
            if (counts.includes(1)) return true;
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
      for (const timer of timers) clearInterval(timer);
      await Promise.all([connection.close(), scanConnection.close()]);
    },
  };
}
