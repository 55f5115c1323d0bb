import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import type { Tables } from '../../storage/entity-store/entity-store.ts';
import { forgottenAfter } from './password-delays.ts';

/** User names and addresses whose wrong passwords are kept. Names need not exist, so somebody could send any number of them. */
const mostRows = 100_000;

/** Forgets wrong passwords of long ago, and beyond the bound those of the names that have the fewest. */
export async function sweepDelays(db: Kysely<Tables>, now: number, most = mostRows): Promise<void> {
  await db
    .deleteFrom('passwordDelays')
    .where('nextAt', '<', now - forgottenAfter)
    .where('knownUntil', '<=', now)
    .execute();
  const { rows } = await db
    .selectFrom('passwordDelays')
    .select(({ fn }) => fn.countAll().as('rows'))
    .where('knownUntil', '<=', now)
    .executeTakeFirstOrThrow();
  if (Number(rows) <= most) return;
  await sql`delete from "passwordDelays" where ("account", "address") in (
    select "account", "address" from "passwordDelays" where "knownUntil" <= ${now}
    order by "failures", "nextAt" limit ${Number(rows) - most})`.execute(db);
}
