import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Logger } from '../core/log/log.ts';
import type { Clock } from '../core/time/clock.ts';
import { isoTime } from '../core/time/clock.ts';
import { replaceFile } from '../pki/files.ts';
import type { EntityStore } from '../storage/entity-store/entity-store.ts';
import type { Checkpoint, CheckpointSigner } from './checkpoint.ts';

/** In the data directory. */
export const checkpointFile = join('audit', 'checkpoint.jws');
/** Checkpoints that the database keeps. */
const maxKept = 1_000;

interface CheckpointsOptions {
  readonly database: EntityStore;
  readonly signer: CheckpointSigner;
  readonly clock: Clock;
  readonly log: Logger;
  /** Keeps the last checkpoint of this controller, where who can write to the database cannot reach it. */
  readonly file: string;
}

/**
 * Signs where the log ends, from time to time. Before that it compares the log with the last checkpoint, and signs nothing when they
 * differ: the file then still proves what the log was.
 */
export class Checkpoints {
  readonly #parts: CheckpointsOptions;
  #last: Promise<Checkpoint | null> | null = null;

  constructor(parts: CheckpointsOptions) {
    this.#parts = parts;
  }

  /** Signs the last entry, if it is another one than at the last time. */
  async sign(): Promise<void> {
    const { database, signer, clock, log, file } = this.#parts;
    this.#last ??= this.#readFile();
    const last = await this.#last;
    const head = await database.db.selectFrom('auditHead').select(['sequence', 'hash']).executeTakeFirstOrThrow();
    if (head.sequence === 0 || (head.sequence === last?.sequence && head.hash === last.hash)) return;
    if (last && !(await this.#continues(last))) {
      log.error({ file, signed: last, found: head }, 'the audit log is not the one that this controller has signed');
      return;
    }
    const checkpoint = { kind: 'checkpoint', ...head, time: isoTime(clock()) } as const;
    const jws = await signer.sign(checkpoint);
    await addCheckpoint(database.db, checkpoint, jws);
    await this.#forgetOld();
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    await replaceFile(file, `${jws}\n`);
    this.#last = Promise.resolve(checkpoint);
  }

  /** Whether the log still has the signed entry, or has removed it because of its age. */
  async #continues({ sequence, hash }: Checkpoint): Promise<boolean> {
    const { database, signer } = this.#parts;
    const { db } = database;
    const entry = await db.selectFrom('auditLog').select('hash').where('sequence', '=', sequence).executeTakeFirst();
    if (entry) return entry.hash === hash;
    const anchors = await db
      .selectFrom('auditCheckpoints')
      .select('jws')
      .where('kind', '=', 'anchor')
      .where('sequence', '>=', sequence)
      .execute();
    const read = await Promise.all(anchors.map(({ jws }) => signer.read(jws)));
    return read.some((anchor) => typeof anchor !== 'string' && anchor.kind === 'anchor' && anchor.sequence >= sequence);
  }

  async #readFile(): Promise<Checkpoint | null> {
    const { signer, file, log } = this.#parts;
    const jws = readCheckpointFile(file);
    if (jws === null) return null;
    const read = await signer.read(jws);
    if (typeof read !== 'string') return read;
    log.warn({ file, reason: read }, 'the checkpoint of the audit log cannot be used');
    return null;
  }

  async #forgetOld(): Promise<void> {
    const { db } = this.#parts.database;
    const oldest = await db
      .selectFrom('auditCheckpoints')
      .select('sequence')
      .where('kind', '=', 'checkpoint')
      .orderBy('sequence', 'desc')
      .offset(maxKept - 1)
      .limit(1)
      .executeTakeFirst();
    if (!oldest) return;
    await db
      .deleteFrom('auditCheckpoints')
      .where('kind', '=', 'checkpoint')
      .where('sequence', '<', oldest.sequence)
      .execute();
  }
}

/** Adds a signed checkpoint. Another controller may have signed the same entry: one signature is enough. */
export async function addCheckpoint(
  db: EntityStore['db'],
  { time: createdAt, ...checkpoint }: Checkpoint,
  jws: string,
): Promise<void> {
  await db
    .insertInto('auditCheckpoints')
    .values({ ...checkpoint, createdAt, jws })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** The JWS in the file. `null`: there is none. */
export function readCheckpointFile(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
