import type { QueryExecutorProvider } from 'kysely';
import { sql } from 'kysely';

/** Bytes of an entry besides its details: the other columns, and its place in the indexes. */
const besidesDetails = 700;
/** Entries whose details are measured. A log has millions, and to read all of them takes minutes. */
const sampleSize = 500;

interface Range {
  /** The number of entries. */
  readonly entries: number;
  /** The sequence of the first one. */
  readonly first: number;
}

/** Which entries the audit log has. They have no gaps. */
export async function readAuditLogRange(db: QueryExecutorProvider): Promise<Range> {
  const { rows } = await sql<{ first: number | string | null; last: number | string }>`
    select (select min("sequence") from "auditLog") as "first", "sequence" as "last" from "auditHead" where "id" = 1`.execute(
    db,
  );
  const [{ first, last } = { first: null, last: 0 }] = rows;
  return first === null
    ? { first: 0, entries: 0 }
    : { first: Number(first), entries: Number(last) - Number(first) + 1 };
}

/** About how many bytes the audit log takes in its database, with its indexes: in all, and for an entry. */
export async function measureAuditLog(
  db: QueryExecutorProvider,
): Promise<{ readonly bytes: number; readonly ofEntry: number }> {
  const { first, entries } = await readAuditLogRange(db);
  const sampled = Math.min(entries, sampleSize);
  if (sampled === 0) return { bytes: 0, ofEntry: besidesDetails };
  const sequences = Array.from({ length: sampled }, (_, at) => first + Math.floor((at * entries) / sampled));
  const { rows } = await sql<{ details: number | string | null }>`
    select avg(octet_length("details")) as "details" from "auditLog" where "sequence" in (${sql.join(sequences)})`.execute(
    db,
  );
  const ofEntry = besidesDetails + Number(rows[0]?.details ?? 0);
  return { bytes: Math.round(entries * ofEntry), ofEntry };
}
