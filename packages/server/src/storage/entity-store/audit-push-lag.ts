import type { QueryExecutorProvider } from 'kysely';
import { sql } from 'kysely';

/** The key of `meta` that has the position up to which the audit log was pushed, in JSON. */
export const auditPushKey = 'auditPush';

/** What of the audit log was not pushed yet. */
export interface AuditPushLag {
  readonly waiting: number;
  /** Seconds since the first of these entries. */
  readonly lag: number;
}

/** @param now milliseconds since 1970 */
export async function readAuditPushLag(db: QueryExecutorProvider, now: number): Promise<AuditPushLag> {
  const meta = await sql<{ value: string }>`select "value" from "meta" where "key" = ${auditPushKey}`.execute(db);
  const pushed = meta.rows[0] ? Number(JSON.parse(meta.rows[0].value).sequence) : 0;
  const { rows } = await sql<{ createdAt: string; sequence: number | string; last: number | string }>`
    select "sequence", "createdAt", (select "sequence" from "auditHead" where "id" = 1) as "last"
      from "auditLog" where "sequence" > ${pushed} order by "sequence" limit 1`.execute(db);
  const [first] = rows;
  if (!first) return { waiting: 0, lag: 0 };
  const lag = Math.max(0, (now - Date.parse(first.createdAt)) / 1_000);
  return { waiting: Number(first.last) - Number(first.sequence) + 1, lag };
}
