import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import type { AnyState } from '../../crud/entity.ts';
import type { UnitOfWork } from '../../crud/unit-of-work.ts';
import { selectValues } from '../../storage/database/sql/select-values.ts';
import { subjectRoles } from './last-change.ts';
import { markSubjects, setSubject } from './mark-subjects.ts';
import { checkRoles, selectedByRolesOf, serviceRoles } from './policy-roles.ts';

/** What a policy gives to those whom its identity roles select. */
interface Given {
  readonly subjectId: string;
  readonly type: unknown;
  readonly services: readonly string[];
  readonly checks: readonly string[];
}

/** More services, or identities with the attributes of the roles, are not read: then all of an subject counts as changed. */
const maxRead = 5_000;

/** Runs a change of a service policy, and marks for whom it changes services: a policy without a service changes none. */
export async function markPolicy(
  unit: UnitOfWork,
  { previous, next }: { readonly previous: AnyState | null; readonly next: AnyState | null },
  run: () => Promise<void>,
): Promise<void> {
  const before = previous && (await readGiven(unit, previous));
  await run();
  if (next) await setSubject(unit, next);
  const after = next && (await readGiven(unit, next));
  const changed = [before, after].flatMap((given) => (given && given.services.length > 0 ? [given.subjectId] : []));
  if (before && after && isSame(before, after)) {
    if (before.subjectId !== after.subjectId && changed.length > 0) await markDifference(unit, before, after);
  } else if (changed.length > 0) await markSubjects(unit, selectValues(unit.caller.database.sql, changed));
}

async function readGiven({ tx }: UnitOfWork, { id, type }: AnyState): Promise<Given> {
  const subjects = tx.selectFrom('policySubjects').select('subjectId').where('policyId', '=', id);
  const { subjectId } = await subjects.executeTakeFirstOrThrow();
  const read = async (roles: typeof serviceRoles) => {
    const { rows } = await sql<{ id: string }>`select "id" from (${selectedByRolesOf(id, roles)}) as selected
      order by "id" limit ${maxRead + 1}`.execute(tx);
    return rows.map((row) => row.id);
  };
  return { subjectId, type, services: await read(serviceRoles), checks: await read(checkRoles) };
}

function isSame(before: Given, after: Given): boolean {
  const isRead = ({ services, checks }: Given) => Math.max(services.length, checks.length) <= maxRead;
  const given = ({ type, services, checks }: Given) => [type, services, checks];
  return isRead(before) && isRead(after) && isDeepStrictEqual(given(before), given(after));
}

/** Marks the identities that one of two subjects has, and the other one has not. */
async function markDifference(unit: UnitOfWork, before: Given, after: Given): Promise<void> {
  const { tx, caller } = unit;
  const both = selectValues(caller.database.sql, [before.subjectId, after.subjectId]);
  const { rows } = await sql<{ one: number }>`
    select * from (select 1 as "one" from "identities" where exists (select 1 from "subjects_roles"
      where "value" = '#all' and "ownerId" in (${both})) limit ${maxRead + 1}) as everybody
    union all select * from (select 1 from "identities_roleAttributes" where "value" in
      (select substr("value", 2) from "subjects_roles" where "value" like '#%' and "ownerId" in (${both}))
      limit ${maxRead + 1}) as holders`.execute(tx);
  const isLarge = rows.length > maxRead;
  const members = ({ subjectId }: Given) =>
    sql`select "id" from (${selectedByRolesOf(subjectId, { entities: 'identities', ...subjectRoles })}) as members`;
  await markSubjects(
    unit,
    isLarge
      ? both
      : sql`select * from (${members(before)} except ${members(after)}) as left_behind
        union select * from (${members(after)} except ${members(before)}) as added`,
  );
}
