import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import { isAnySelected, pairsSelected, policiesSelecting } from '../../crud/roles.ts';
import type { UnitOfWork } from '../../crud/unit-of-work.ts';
import { selectValues } from '../../storage/database/sql/select-values.ts';
import { giveTimes } from './give-times.ts';
import { lastChangeIn, subjectsWith } from './last-change.ts';
import { markIdentity } from './mark-subjects.ts';
import { identityRoles, serviceRoles } from './policy-roles.ts';

/** The ids of what selects an identity. */
interface Selecting {
  readonly policies: readonly string[];
  readonly subjects: readonly string[];
}

/** Runs a change of the attributes of an identity, and marks whether that changes its services. */
export async function markAttributes(unit: UnitOfWork, id: string, run: () => Promise<void>): Promise<void> {
  const before = await readSelecting(unit, id);
  await run();
  const after = await readSelecting(unit, id);
  if (await hasOtherServices(unit, before.policies, after.policies)) await markIdentity(unit, id);
  else if (without(before.subjects, after.subjects).length + without(after.subjects, before.subjects).length > 0) {
    await keepTime(unit, id, before.subjects, after.subjects);
  }
}

async function readSelecting({ tx }: UnitOfWork, id: string): Promise<Selecting> {
  const read = async (query: RawBuilder<unknown>) => {
    const { rows } = await sql<{ id: string }>`with found("id") as (${query}) select "id" from found`.execute(tx);
    return rows.map((row) => row.id);
  };
  return {
    policies: await read(policiesSelecting({ id, ...identityRoles })),
    subjects: await read(subjectsWith(id)),
  };
}

async function hasOtherServices(
  { tx, caller }: UnitOfWork,
  before: readonly string[],
  after: readonly string[],
): Promise<boolean> {
  const [lost, gained] = [without(before, after), without(after, before)];
  if (lost.length + gained.length === 0) return false;
  const ids = (policies: readonly string[]) => selectValues(caller.database.sql, policies);
  const isTrue = async (condition: RawBuilder<unknown>) => {
    const { rows } = await sql<{ one: number }>`select 1 as "one" where ${condition}`.execute(tx);
    return rows.length > 0;
  };
  if (!(await isTrue(isAnySelected({ policies: ids([...lost, ...gained]), ...serviceRoles })))) return false;
  // With posture checks, services show the policies. Without any, they show only which types of policies there are.
  if (await isTrue(sql`exists (select 1 from "postureChecks")`)) return true;
  const shown = (policies: readonly string[]) => sql`select p."type", pairs."entityId"
    from (${pairsSelected({ policies: ids(policies), ...serviceRoles })}) as pairs
    join "servicePolicies" p on p."id" = pairs."policyId"`;
  const isMissing = (some: readonly string[], others: readonly string[]) =>
    sql`exists (select * from (${shown(some)}) as these except select * from (${shown(others)}) as those)`;
  return await isTrue(sql`${isMissing(lost, after)} or ${isMissing(gained, before)}`);
}

/** The identity is in other subjects now, whose changes up to now were not changes of its services. Its time stays. */
async function keepTime(
  { tx, caller }: UnitOfWork,
  id: string,
  before: readonly string[],
  after: readonly string[],
): Promise<void> {
  const { sql: dialect } = caller.database;
  const since = await giveTimes(tx, dialect, selectValues(dialect, [...before, ...after]));
  const lastIn = (subjects: readonly string[]) => lastChangeIn(selectValues(dialect, subjects), id);
  const { rows } = await sql<{
    was: number | null;
    would: number | null;
  }>`select ${lastIn(before)} as "was", ${lastIn(after)} as "would"`.execute(tx);
  const { was = null, would = null } = rows[0] ?? {};
  if (was === would) return;
  await sql`insert into "subjects" ("id", "lastChangeAt", "since")
    values (${id}, cast(${was ?? 0} as bigint), cast(${since} as bigint))
    on conflict ("id") do update set "lastChangeAt" = excluded."lastChangeAt", "since" = excluded."since"`.execute(tx);
}

function without(some: readonly string[], others: readonly string[]): string[] {
  const known = new Set(others);
  return some.filter((one) => !known.has(one));
}
