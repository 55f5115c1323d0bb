import { sql } from 'kysely';
import type { UnitOfWork } from '../../crud/unit-of-work.ts';

/**
 * What must not happen at the same time, as a lock of PostgreSQL on the table of the policies. `share`: a change of a policy.
 * `share row exclusive`: also a change of another entity with a lock.
 */
export type PolicyLock = 'share' | 'share row exclusive';

/**
 * Otherwise a policy could begin to select an entity at the same time, and neither change would see the other one. The entity is
 * locked first, as in a change of a policy: another order could deadlock. SQLite runs one change after the other.
 */
export async function lockPolicies({ tx, caller }: UnitOfWork, mode: PolicyLock): Promise<void> {
  if (caller.database.dialect === 'sqlite') return;
  await sql`lock table "servicePolicies" in ${sql.raw(mode)} mode`.execute(tx);
}
