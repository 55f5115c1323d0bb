import { randomUUID } from 'node:crypto';
import type { RedisClient } from '../../database/redis/connection.ts';
import { connectRedis } from '../../database/redis/connection.ts';
import { createLazyConnection } from '../../database/redis/lazy-connection.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Sealer } from '../../lib/sealer.ts';
import type { SessionKey, SessionStore } from '../session-store.ts';
import { createBatchedTouch } from './batched-touch.ts';
import { createCreationIndex } from './creation-index.ts';
import { checkEviction } from './eviction.ts';
import { redisKeys } from './keys.ts';
import { createSessionList } from './list-sessions.ts';
import { scripts } from './scripts.ts';
import { certificateCodec, createSessionCertificates } from './session-certificates.ts';
import { createSessionReader } from './session-reader.ts';
import type { StoredRecord } from './stored-record.ts';
import { createRecordCodec } from './stored-record.ts';

const sweepInterval = 1_000;
const repairInterval = 60_000;

/**
 * Opens the store of API sessions in Redis, for any number of processes. One session is one key with one TTL.
 *
 * @param sealer seals the sessions, so that nobody who can write to Redis makes one
 * @param warn gets the warning about a Redis that may evict sessions
 * @param refuseEviction whether such a Redis is refused
 * @param timeout milliseconds without a touch after which a session expires
 * @param listTimeLimit milliseconds that a list may take; the default is 2 seconds
 * @throws StoreUnusable when Redis cannot be reached within 5 seconds, or is refused
 */
export async function openRedisSessionStore({
  url,
  timeout,
  clock,
  sealer,
  warn = () => undefined,
  refuseEviction = false,
  keyPrefix = 'edge:',
  listTimeLimit = 2_000,
}: {
  url: string;
  timeout: number;
  clock: Clock;
  sealer: Sealer | Promise<Sealer>;
  warn?: (message: string) => void;
  refuseEviction?: boolean;
  keyPrefix?: string;
  listTimeLimit?: number;
}): Promise<SessionStore> {
  const keys = redisKeys(keyPrefix);
  let server: string | null = null;
  /**
   * Replaces the version on a Redis that this process has not used before. Until now this process may have changed the
   * version on another one, while other processes already used this one and read the entities too early.
   */
  const meet = async (client: RedisClient<typeof scripts>) => {
    const id = /^run_id:(\S+)/m.exec(await client.info('server'))?.[1] ?? '';
    if (id !== server) await client.set(keys.version, randomUUID());
    server = id;
  };
  const connection = await connectRedis(url, scripts, {
    // When this fails, so does the connection, and the next one tries again.
    onReady: (client) => void meet(client).catch(() => undefined),
  });
  const { run } = connection;
  const openCodec = async () => {
    await checkEviction(run, { url, warn, refuseEviction });
    const opened = await sealer;
    return { ...createRecordCodec(opened), certificates: certificateCodec(opened) };
  };
  const codec = await openCodec().catch(async (error: unknown) => {
    await connection.close();
    throw error;
  });
  const reader = createSessionReader({ run, keys, clock, codec });
  const { index, load } = reader;
  const scanConnection = createLazyConnection(url, scripts);
  const scanReader = createSessionReader({ run: scanConnection.run, keys, clock, codec });
  const creationIndex = createCreationIndex({ run, scanRun: scanConnection.run, scanReader, keys });

  /** Replaces members of a record. False when the session does not exist. */
  const change = async (tokenHash: string, members: Partial<StoredRecord>): Promise<boolean> => {
    const key = keys.session(tokenHash);
    for (;;) {
      const before = await run((client) => client.hGet(key, 'record'));
      const record = before ? codec.read(before, tokenHash) : null;
      if (!before || !record) return false;
      const after = codec.write({ ...record, ...members });
      if (await run((client) => client.replaceSession(key, before, after))) return true;
    }
  };

  const remove = async (session: SessionKey): Promise<boolean> => {
    const isRemoved = (await run((client) => client.del(keys.session(session.tokenHash)))) === 1;
    // Without a key, another process may be creating this session. The sweep checks its member after the timeout.
    if (isRemoved) await index.remove([session]);
    return isRemoved;
  };

  // What fails while Redis is unreachable is done at the next interval.
  const sweep = () => void index.sweep().catch(() => undefined);
  const repair = () => void creationIndex.repair().catch(() => undefined);
  const timers = [setInterval(sweep, sweepInterval).unref(), setInterval(repair, repairInterval).unref()];
  repair();

  return {
    async create(record, certificates = []) {
      const now = clock();
      await index.add(record, { createdAt: record.createdAt, expiresAt: now + timeout });
      const key = keys.session(record.tokenHash);
      const fields = {
        record: codec.write({ ...record, timeout }),
        ...Object.fromEntries(certificates.map((one) => codec.certificates.write(record.tokenHash, one))),
      };
      const [, storedVersion] = await run((client) => {
        const created = client.multi().hSet(key, fields).pExpire(key, timeout).exec();
        return Promise.all([created, client.readVersion(keys.version, randomUUID())]);
      });
      const session = { ...record, lastActivityAt: now, expiresAt: now + timeout };
      return { session, version: `${connection.epoch()}:${storedVersion}` };
    },

    touch: createBatchedTouch({ connection, keys, timeout, clock, codec, change }),

    update: (tokenHash, flags) => change(tokenHash, { ...flags, updatedAt: clock() }),

    async find(id) {
      const member = await index.find(id);
      if (!member) return null;
      const [session] = await load([member]);
      return session ?? null;
    },

    remove,

    async removeByIdentity(identityId, hasEnded = () => true) {
      let removed = 0;
      for await (const batch of index.batches({ key: keys.identity(identityId) })) {
        const results = await Promise.all((await load(batch)).filter(hasEnded).map(remove));
        removed += results.filter(Boolean).length;
      }
      return removed;
    },

    list: createSessionList({ keys, reader, scanReader, creationIndex, timeLimit: listTimeLimit }),

    certificates: createSessionCertificates({ run, keys, codec: codec.certificates }),

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
