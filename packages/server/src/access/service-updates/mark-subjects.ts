import { createHash } from 'node:crypto';
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { AnyState } from '../../crud/entity.ts';
import type { Semantic } from '../../crud/roles.ts';
import { needOf } from '../../crud/roles.ts';
import type { UnitOfWork } from '../../crud/unit-of-work.ts';

/**
 * Marks that the services of some subjects change with this transaction. A row that waits for its time stands for this change,
 * too: this transaction locks it, so it is not deleted before the commit.
 *
 * @param subjects a sub-query with their ids: of identities, or of the roles of policies
 */
export async function markSubjects(
  { tx, caller }: Pick<UnitOfWork, 'tx' | 'caller'>,
  subjects: RawBuilder<unknown>,
): Promise<void> {
  const { database, clock } = caller;
  await sql`with marked ("id") as (${subjects}),
      waiting as (select "subjectId" from "subjectChanges"
        where "subjectId" in (select "id" from marked) ${database.sql.forKeyShare})
    insert into "subjectChanges" ("subjectId", "changedAt")
    select distinct "id", cast(${clock()} as bigint) from marked
      where "id" not in (select "subjectId" from waiting)`.execute(tx);
}

/** Marks that the services of one identity change. */
export async function markIdentity(unit: Pick<UnitOfWork, 'tx' | 'caller'>, id: string): Promise<void> {
  await markSubjects(unit, sql`select ${id}`);
}

/** The ids of the subjects of some policies: a sub-query of the ids of the policies becomes another one. */
export function subjectsOf(policies: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`select "subjectId" from "policySubjects" where "policyId" in (${policies})`;
}

/**
 * Gives a service policy the subject of its identity roles. Policies with the same roles share one. An subject stays when its
 * policies have other roles: its identities still have to learn of that.
 */
export async function setSubject({ tx }: UnitOfWork, { id, identityRoles, semantic }: AnyState): Promise<void> {
  const roles = identityRoles as string[];
  const subject = createHash('sha256')
    .update(JSON.stringify([needOf(roles, semantic as Semantic), roles]))
    .digest('base64url');
  await sql`insert into "subjects" ("id", "lastChangeAt") values (${subject}, 0) on conflict ("id") do nothing`.execute(
    tx,
  );
  await sql`insert into "subjects_roles" ("ownerId", "value", "need")
    select ${subject}, "value", "need" from "servicePolicies_identityRoles" where "ownerId" = ${id}
    on conflict ("value", "ownerId") do nothing`.execute(tx);
  await sql`insert into "policySubjects" ("policyId", "subjectId") values (${id}, ${subject})
    on conflict ("policyId") do update set "subjectId" = excluded."subjectId"`.execute(tx);
}

/** Forgets an identity that is deleted. */
export async function forgetIdentity({ tx }: UnitOfWork, id: string): Promise<void> {
  await sql`delete from "subjectChanges" where "subjectId" = ${id}`.execute(tx);
  await sql`delete from "subjects" where "id" = ${id}`.execute(tx);
}
