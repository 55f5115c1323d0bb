import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import type { StoredEntry } from '../../src/audit/entry.ts';
import { chain, hashedColumns } from '../../src/audit/entry.ts';
import type { Tables } from '../../src/storage/entity-store/entity-store.ts';

type Db = Kysely<Tables>;

/** Where a log is tampered with: numbers from 0 on, which each kind of change fits to the length of the log. */
export interface Place {
  readonly one: number;
  readonly other: number;
}

interface Log {
  readonly db: Db;
  /** Entries are 1 … length. */
  readonly length: number;
}

/** The sequence that the first finding must have. `null`: any. */
type Tamper = (log: Log, place: Place) => Promise<number | null>;

/** Entries at the end that a rewrite changes. */
const rewritten = 200;

/** What somebody who can write to the database may do to the log. */
export const tampers = {
  async changed({ db, length }, { one, other }) {
    const sequence = fit(one, length);
    const column = [...hashedColumns, 'hash' as const][1 + (other % hashedColumns.length)] ?? 'hash';
    const value =
      column === 'hash' ? 'f'.repeat(64) : column === 'outcome' ? otherOutcome : sql`'another ' || ${other}`;
    await sql`update "auditLog" set ${sql.ref(column)} = ${value} where "sequence" = ${sequence}`.execute(db);
    return sequence;
  },
  async removed({ db, length }, { one }) {
    const sequence = fit(one, length);
    await remove(db, sequence);
    return sequence;
  },
  /** The entries behind it take its place. */
  async 'removed without a gap'({ db, length }, { one }) {
    const sequence = fit(one, length);
    await remove(db, sequence);
    await shift(db, sequence, -1);
    await db
      .updateTable('auditHead')
      .set({ sequence: length - 1 })
      .execute();
    return sequence === length ? null : sequence;
  },
  async inserted({ db, length }, { one, other }) {
    const sequence = fit(one, length);
    const copied = await read(db, fit(other, length));
    const [before] = sequence === 1 ? [{ sequence: 0, hash: '0'.repeat(64) }] : [await read(db, sequence - 1)];
    await shift(db, sequence - 1, 1);
    await db
      .insertInto('auditLog')
      .values(chain(before, [copied])[0] ?? copied)
      .execute();
    await db
      .updateTable('auditHead')
      .set({ sequence: length + 1 })
      .execute();
    // The inserted one fits to what is before it; the next one does not fit to it.
    return null;
  },
  async swapped({ db, length }, { one, other }) {
    const first = fit(one, length - 1);
    const second = first + 1 + (other % (length - first));
    const [a, b] = [await read(db, first), await read(db, second)];
    await db
      .updateTable('auditLog')
      .set({ ...b, sequence: first })
      .where('sequence', '=', first)
      .execute();
    await db
      .updateTable('auditLog')
      .set({ ...a, sequence: second })
      .where('sequence', '=', second)
      .execute();
    return first;
  },
  async 'cut off'({ db, length }, { one }) {
    const last = length - fit(one, Math.min(length, 50));
    await db.deleteFrom('auditLog').where('sequence', '>', last).execute();
    return last + 1;
  },
  /** Nothing in the database shows it. */
  async 'cut off with the head and all checkpoints'({ db, length }, { one }) {
    const last = length - fit(one, Math.min(length - 1, 50));
    const { hash } = await read(db, last);
    await db.deleteFrom('auditLog').where('sequence', '>', last).execute();
    await db.updateTable('auditHead').set({ sequence: last, hash }).execute();
    await db.deleteFrom('auditCheckpoints').execute();
    return null;
  },
  /** All hashes are right again, and nothing in the database shows it. */
  async rewritten({ db, length }, { one, other }) {
    const sequence = length + 1 - fit(one, Math.min(length - 1, rewritten));
    const rows = await db
      .selectFrom('auditLog')
      .selectAll()
      .where('sequence', '>=', sequence)
      .orderBy('sequence')
      .execute();
    const changed = rows.map((row, at) => (at === 0 ? { ...row, details: `{"forged":${other}}` } : row));
    const forged = chain(await read(db, sequence - 1), changed);
    await db.deleteFrom('auditLog').where('sequence', '>=', sequence).execute();
    await db
      .insertInto('auditLog')
      .values([...forged])
      .execute();
    await db
      .updateTable('auditHead')
      .set({ hash: forged.at(-1)?.hash ?? '' })
      .execute();
    await db.deleteFrom('auditCheckpoints').execute();
    return null;
  },
  async 'added behind the head'({ db, length }, { one }) {
    const copied = await read(db, fit(one, length));
    await db
      .insertInto('auditLog')
      .values({ ...copied, sequence: length + 1 })
      .execute();
    return length + 1;
  },
  async 'all removed as if they were old'({ db }, { one }) {
    const through = fit(one, 100);
    const { hash, createdAt } = await read(db, through);
    await db.deleteFrom('auditLog').where('sequence', '<=', through).execute();
    await db
      .insertInto('auditCheckpoints')
      .values({ kind: 'anchor', sequence: through, hash, createdAt, jws: 'e30.e30.e30' })
      .execute();
    return 1;
  },
} satisfies Readonly<Record<string, Tamper>>;

const otherOutcome = sql`case when "outcome" = 'success' then 'failure' else 'success' end`;

/** A sequence from 1 to `length`. */
const fit = (number: number, length: number) => 1 + (number % length);

async function read(db: Db, sequence: number): Promise<StoredEntry> {
  return await db.selectFrom('auditLog').selectAll().where('sequence', '=', sequence).executeTakeFirstOrThrow();
}

async function remove(db: Db, sequence: number): Promise<void> {
  await db.deleteFrom('auditLog').where('sequence', '=', sequence).execute();
}

/** Moves the entries behind one. In between they have negative places, because no two may have the same. */
async function shift(db: Db, after: number, by: number): Promise<void> {
  await sql`update "auditLog" set "sequence" = -"sequence" where "sequence" > ${after}`.execute(db);
  await sql`update "auditLog" set "sequence" = -"sequence" + ${sql.lit(by)} where "sequence" < 0`.execute(db);
}
