import { randomUUID } from 'node:crypto';
import type { Logger } from '../core/log/log.ts';
import type { Clock } from '../core/time/clock.ts';
import type { EntityStore } from '../storage/entity-store/entity-store.ts';
import type { StoredEntry } from './entry.ts';
import { otlpLogs } from './otlp-logs.ts';
import type { PushPosition } from './push-position.ts';
import { movePushPosition, readPushPosition } from './push-position.ts';
import type { Receiver } from './send-otlp.ts';
import { sendOtlp } from './send-otlp.ts';

interface AuditPushOptions {
  readonly database: Pick<EntityStore, 'db'>;
  readonly receiver: Receiver;
  /** Of the running program. */
  readonly version: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Milliseconds between two checks for new entries, and after failures. */
const interval = 1_000;
const longestPause = 60_000;
/** Milliseconds for which a controller may push alone. Longer than a request takes. */
const lease = 30_000;
/** Milliseconds for the last entries of a controller that stops. */
const lastPush = 2_000;
const maxEntries = 500;
const maxBytes = 1_048_576;

/**
 * Sends the audit log to a receiver, each entry at least once and in their order. The position is in SQL. One controller sends at a time;
 * when it ends or cannot reach the receiver, another one goes on. Nothing waits for the receiver.
 */
export class AuditPush {
  readonly #parts: AuditPushOptions;
  readonly #holder = randomUUID();
  readonly #stopped = new AbortController();
  #isStopping = false;
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> = Promise.resolve();
  #failures = 0;
  /** A receiver may refuse what is too large for it. */
  #most = maxEntries;

  constructor(parts: AuditPushOptions) {
    this.#parts = parts;
  }

  start(): void {
    this.#wait(interval);
  }

  /** Sends what is left, if that is quick, and lets another controller go on. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    if (this.#timer) clearTimeout(this.#timer);
    const late = setTimeout(() => this.#stopped.abort(), lastPush);
    await this.#running;
    // Whoever has failed before would only wait.
    if (this.#failures === 0) await this.#push();
    clearTimeout(late);
    this.#stopped.abort();
    await this.#release().catch(() => undefined);
  }

  #wait(milliseconds: number): void {
    this.#timer = setTimeout(() => {
      this.#running = this.#push().then(() => {
        if (!this.#isStopping) this.#wait(Math.min(interval * 2 ** this.#failures, longestPause));
      });
    }, milliseconds).unref();
  }

  /** Never rejects. */
  async #push(): Promise<void> {
    const { log } = this.#parts;
    try {
      let position = await this.#claim();
      while (position !== null) position = await this.#sendNext(position);
      if (this.#failures > 0) log.info('the audit log is pushed again');
      this.#failures = 0;
    } catch (error) {
      if (this.#stopped.signal.aborted) return;
      const reason =
        error instanceof Error ? (error.cause instanceof Error ? error.cause : error).message : String(error);
      if (this.#failures === 0) log.warn({ reason }, 'the audit log cannot be pushed: its entries wait');
      this.#failures = Math.min(this.#failures + 1, 10);
      this.#most = Math.max(1, Math.floor(this.#most / 2));
      await this.#release().catch(() => undefined);
    }
  }

  /** `null`: another controller pushes. */
  async #claim(): Promise<PushPosition | null> {
    const { database, clock, log } = this.#parts;
    const before = await readPushPosition(database.db);
    if (before && before.holder !== this.#holder && before.until > clock()) return null;
    const head = await database.db.selectFrom('auditHead').select('sequence').executeTakeFirstOrThrow();
    let sequence = before?.sequence ?? 0;
    if (sequence > head.sequence) {
      log.warn(
        { pushed: sequence, found: head.sequence },
        'the audit log is shorter than what was pushed: all is pushed again',
      );
      sequence = 0;
    }
    if (before && sequence === head.sequence && before.holder === this.#holder && before.until - clock() > lease / 2) {
      return null;
    }
    return this.#move(before, sequence);
  }

  /** Returns the next position. `null`: nothing is left, or another controller goes on. */
  async #sendNext(position: PushPosition): Promise<PushPosition | null> {
    const { receiver, version, log } = this.#parts;
    const entries = await this.#readBehind(position.sequence);
    const [first, last] = [entries[0], entries.at(-1)];
    if (!first || !last) return null;
    if (first.sequence > position.sequence + 1 && position.sequence > 0) {
      const missing = { from: position.sequence + 1, through: first.sequence - 1 };
      log.error(missing, 'entries of the audit log were removed before they were pushed');
    }
    const dropped = await sendOtlp(receiver, otlpLogs(entries, version), this.#stopped.signal);
    if (dropped !== null) log.warn({ dropped }, 'the receiver of the audit log has dropped entries');
    this.#most = Math.min(maxEntries, this.#most * 2);
    return this.#move(position, last.sequence);
  }

  async #move(before: PushPosition | null, sequence: number): Promise<PushPosition | null> {
    const { database, clock } = this.#parts;
    const after = { sequence, holder: this.#holder, until: clock() + lease };
    return (await movePushPosition(database.db, before, after)) ? after : null;
  }

  async #release(): Promise<void> {
    const { db } = this.#parts.database;
    const before = await readPushPosition(db);
    if (before?.holder === this.#holder) await movePushPosition(db, before, { ...before, holder: '', until: 0 });
  }

  async #readBehind(sequence: number): Promise<readonly StoredEntry[]> {
    const rows = await this.#parts.database.db
      .selectFrom('auditLog')
      .selectAll()
      .where('sequence', '>', sequence)
      .orderBy('sequence')
      .limit(this.#most)
      .execute();
    let bytes = 0;
    const fitting = rows.findIndex(({ details }) => {
      bytes += details.length;
      return bytes > maxBytes;
    });
    return fitting < 0 ? rows : rows.slice(0, Math.max(1, fitting));
  }
}
