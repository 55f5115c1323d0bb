import { randomUUID } from 'node:crypto';
import type { Sealer } from '../../../core/secrets/sealer.ts';
import type { Clock } from '../../../core/time/clock.ts';
import { loadPerTurn } from '../../../core/turns/load-per-turn.ts';
import { connectRedis } from '../../database/redis/connection.ts';
import type { LazyConnection } from '../../database/redis/lazy-connection.ts';
import { createLazyConnection } from '../../database/redis/lazy-connection.ts';
import type { ServiceSessionStore } from '../service-sessions.ts';
import type { SessionCertificateStore } from '../session-certificates.ts';
import type { SessionDataStore } from '../session-data.ts';
import { expiryOf } from '../session-end.ts';
import type { SessionKey } from '../session-key.ts';
import type {
  ApiSessionRecord,
  FirstData,
  LiveApiSession,
  OnApiSessionChange,
  OnExpired,
  SessionStore,
  Touched,
  Versioned,
} from '../session-store.ts';
import { BatchedTouch } from './batched-touch.ts';
import { checkEviction } from './eviction.ts';
import type { SealedField } from './fields/sealed-field.ts';
import { createSealedField } from './fields/sealed-field.ts';
import type { CertificateCodec } from './fields/session-certificates.ts';
import { certificateCodec, createSessionCertificates } from './fields/session-certificates.ts';
import { createSessionData } from './fields/session-data.ts';
import type { RedisKeys } from './keys.ts';
import { redisKeys } from './keys.ts';
import { CreationIndex } from './lists/creation-index.ts';
import { createSessionList } from './lists/list-sessions.ts';
import { meetServers } from './meet-servers.ts';
import type { RunScript, SessionConnection } from './scripts.ts';
import { scripts } from './scripts.ts';
import { createServiceSessionStore } from './service-session-store.ts';
import type { SessionReader } from './session-reader.ts';
import { createSessionReader } from './session-reader.ts';
import type { RecordCodec, StoredRecord } from './stored-record.ts';
import { createRecordCodec } from './stored-record.ts';

const sweepInterval = 1_000;
const repairInterval = 60_000;

interface Options {
  readonly url: string;
  readonly timeout: number;
  readonly clock: Clock;
  readonly sealer: Sealer | Promise<Sealer>;
  readonly warn?: (message: string) => void;
  readonly refuseEviction?: boolean;
  readonly keyPrefix?: string;
  readonly listTimeLimit?: number;
  readonly onChange?: OnApiSessionChange;
  readonly onExpired?: OnExpired;
}

/**
 * Opens the store of API sessions in Redis, for any number of processes. One session is one key with one TTL.
 *
 * @param sealer seals the sessions: write access to Redis is not enough to make one.
 * @param warn gets a warning when Redis may evict sessions.
 * @param refuseEviction refuses a Redis that may evict sessions.
 * @param timeout milliseconds without a touch after which a session expires
 * @param listTimeLimit milliseconds that a list may take; the default is 2 seconds
 * @param onChange is called after each change of an API session
 * @param onExpired is called for sessions that have expired
 * @throws StoreUnusable when Redis cannot be reached within 5 seconds, or is refused
 */
export async function openRedisSessionStore(options: Options): Promise<SessionStore> {
  const { url, timeout, clock, warn = () => undefined, refuseEviction = false, listTimeLimit = 2_000 } = options;
  const { onChange = async () => undefined, onExpired = async () => undefined } = options;
  const keys = redisKeys(options.keyPrefix ?? 'edge:');
  const meet = meetServers(keys);
  const connection = await connectRedis(url, scripts, {
    // When this fails, so does the connection, and the next one tries again.
    onReady: (client) => void meet(client).catch(() => undefined),
  });
  try {
    await checkEviction(connection.run, { url, warn, refuseEviction });
    const sealer = await options.sealer;
    const scanConnection = createLazyConnection(url, scripts);
    const parts = { connection, scanConnection, keys, sealer, timeout, clock, listTimeLimit, onChange, onExpired };
    return new RedisSessionStore(parts);
  } catch (error) {
    await connection.close();
    throw error;
  }
}

interface SessionStoreOptions {
  readonly connection: SessionConnection;
  /** For lists that read many sessions. */
  readonly scanConnection: LazyConnection<typeof scripts>;
  readonly keys: RedisKeys;
  readonly sealer: Sealer;
  readonly timeout: number;
  readonly clock: Clock;
  readonly listTimeLimit: number;
  readonly onChange: OnApiSessionChange;
  readonly onExpired: OnExpired;
}

class RedisSessionStore implements SessionStore {
  readonly touch: SessionStore['touch'];
  readonly list: SessionStore['list'];
  readonly certificates: SessionCertificateStore;
  readonly serviceSessions: ServiceSessionStore;
  readonly data: SessionDataStore;
  readonly #parts: SessionStoreOptions;
  /** One read for all who ask in one event-loop turn. It comes after the other commands of the turn. */
  readonly #readVersion = loadPerTurn(async (run: RunScript, [key = '']) => {
    return new Map([[key, await run((client) => client.readVersion(key, randomUUID()))]]);
  });
  readonly #run: RunScript;
  readonly #codec: RecordCodec;
  readonly #certificateCodec: CertificateCodec;
  readonly #sealed: SealedField;
  readonly #reader: SessionReader;
  readonly #timers: readonly NodeJS.Timeout[];

  constructor(parts: SessionStoreOptions) {
    const { connection, scanConnection, keys, sealer, timeout, clock, onExpired } = parts;
    const { run } = connection;
    this.#parts = parts;
    this.#run = run;
    const codec = createRecordCodec(sealer);
    this.#codec = codec;
    this.#certificateCodec = certificateCodec(sealer);
    const sealed = createSealedField(sealer);
    this.#sealed = sealed;
    const onGone = (ids: readonly string[]) => parts.onChange({ kind: 'ended', ids });
    this.#reader = createSessionReader({ run, keys, clock, codec, onGone, onExpired });
    const reader = this.#reader;
    const scanReader = createSessionReader({ run: scanConnection.run, keys, clock, codec, onGone, onExpired });
    const creationIndex = new CreationIndex({ run, scanRun: scanConnection.run, scanReader, keys });
    const change = (tokenHash: string, members: Partial<StoredRecord>) => this.#change(tokenHash, members);
    this.touch = new BatchedTouch({ connection, keys, timeout, clock, codec, change }).touch;
    this.list = createSessionList({ keys, reader, scanReader, creationIndex, timeLimit: parts.listTimeLimit });
    this.certificates = createSessionCertificates({
      ...{ run, keys, codec: this.#certificateCodec },
      onChange: (tokenHash) => parts.onChange({ kind: 'changed', tokenHash }),
    });
    this.data = createSessionData({ run, keys, sealed });
    this.serviceSessions = createServiceSessionStore({
      ...{ keys, sealed, timeLimit: parts.listTimeLimit },
      requests: { run, index: reader.index },
      scans: { run: scanConnection.run, index: scanReader.index },
    });

    // What fails while Redis is unreachable is done at the next interval.
    const sweep = () => void reader.index.sweep().catch(() => undefined);
    const repair = () => void creationIndex.repair().catch(() => undefined);
    this.#timers = [setInterval(sweep, sweepInterval).unref(), setInterval(repair, repairInterval).unref()];
    repair();
  }

  async create(
    record: ApiSessionRecord,
    { certificates = [], posture }: FirstData = {},
  ): Promise<Versioned<LiveApiSession>> {
    const { connection, keys, timeout, clock } = this.#parts;
    const now = clock();
    const key = keys.session(record.tokenHash);
    const expiresAt = expiryOf(record, now + timeout);
    const fields = {
      record: this.#codec.write({ ...record, timeout }),
      ...(expiresAt < now + timeout && { touched: now }),
      ...this.#certificateCodec.fieldsOf(record.tokenHash, certificates),
      ...(posture && { posture: this.#sealed.write(record.tokenHash, 'posture', posture) }),
    };
    const [, storedVersion] = await this.#run((client) => {
      const created = client
        .multi()
        .hSet(key, fields)
        .pExpire(key, expiresAt - now);
      this.#reader.index.addIn(created, record, { createdAt: record.createdAt, expiresAt });
      return Promise.all([created.exec(), client.readVersion(keys.version, randomUUID())]);
    });
    await this.#parts.onChange({ kind: 'changed', tokenHash: record.tokenHash });
    const session = { ...record, lastActivityAt: now, expiresAt };
    return { session, version: `${connection.epoch()}:${storedVersion}` };
  }

  async peek(tokenHash: string): Promise<Touched> {
    const { connection, keys } = this.#parts;
    const [[session], storedVersion] = await Promise.all([
      this.#reader.load([{ tokenHash }]),
      this.#run((client) => client.readVersion(keys.version, randomUUID())),
    ]);
    const version = `${connection.epoch()}:${storedVersion}`;
    return { session: session ? { ...session, record: session } : null, version };
  }

  async update(tokenHash: string, flags: Parameters<SessionStore['update']>[1]): Promise<boolean> {
    const isChanged = await this.#change(tokenHash, { ...flags, updatedAt: this.#parts.clock() });
    if (isChanged) await this.#parts.onChange({ kind: 'changed', tokenHash });
    return isChanged;
  }

  async find(id: string): Promise<LiveApiSession | null> {
    const member = await this.#reader.index.find(id);
    if (!member) return null;
    const [session] = await this.#reader.load([member]);
    return session ?? null;
  }

  load(tokenHashes: readonly string[]): Promise<readonly LiveApiSession[]> {
    return this.#reader.load(tokenHashes.map((tokenHash) => ({ tokenHash })));
  }

  async remove(session: SessionKey): Promise<boolean> {
    const key = this.#parts.keys.session(session.tokenHash);
    const [, count] = await Promise.all([this.#reader.index.makeDue(session), this.#run((client) => client.del(key))]);
    const isRemoved = count === 1;
    // Without a key, another process may be creating this session. The sweep checks its member after the timeout.
    if (!isRemoved) return false;
    const ended = this.#parts.onChange({ kind: 'ended', ids: [session.id] });
    await Promise.all([this.#reader.index.remove([session]), ended]);
    return true;
  }

  async removeByIdentity(
    identityId: string,
    hasEnded: (session: LiveApiSession) => boolean = () => true,
  ): Promise<number> {
    const { index, load } = this.#reader;
    let removed = 0;
    for await (const batch of index.batches({ key: this.#parts.keys.identity(identityId) })) {
      const ended = (await load(batch)).filter(hasEnded);
      const results = await Promise.all(ended.map((session) => this.remove(session)));
      removed += results.filter(Boolean).length;
    }
    return removed;
  }

  async identitiesWithSessions(identityIds: readonly string[]): Promise<ReadonlySet<string>> {
    const hasSession = await Promise.all(identityIds.map((identityId) => this.#hasSession(identityId)));
    return new Set(identityIds.filter((_, at) => hasSession[at]));
  }

  async bumpVersion(): Promise<void> {
    // A random value, not a counter: after a loss of data, a counter could reach an earlier value again.
    await this.#run((client) => client.set(this.#parts.keys.version, randomUUID()));
  }

  async rightsVersion(): Promise<string> {
    const { connection, keys } = this.#parts;
    return `${connection.epoch()}:${await this.#readVersion(this.#run, keys.rights)}`;
  }

  async bumpRightsVersion(): Promise<void> {
    await this.#run((client) => client.set(this.#parts.keys.rights, randomUUID()));
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    await Promise.all([this.#parts.connection.close(), this.#parts.scanConnection.close()]);
  }

  /** Replaces members of a record. False when the session does not exist. */
  async #change(tokenHash: string, members: Partial<StoredRecord>): Promise<boolean> {
    const key = this.#parts.keys.session(tokenHash);
    for (;;) {
      const before = await this.#run((client) => client.hGet(key, 'record'));
      const record = before ? this.#codec.read(before, tokenHash) : null;
      if (!before || !record) return false;
      const after = this.#codec.write({ ...record, ...members });
      if (await this.#run((client) => client.replaceSession(key, before, after))) return true;
    }
  }

  async #hasSession(identityId: string): Promise<boolean> {
    const { keys } = this.#parts;
    for await (const members of this.#reader.index.batches({ key: keys.identity(identityId) }, 10)) {
      const counts = await this.#run((client) =>
        Promise.all(members.map((member) => client.exists(keys.session(member.tokenHash)))),
      );
      if (counts.includes(1)) return true;
    }
    return false;
  }
}
