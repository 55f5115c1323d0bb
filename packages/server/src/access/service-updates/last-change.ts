import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import { policiesSelecting } from '../../crud/roles.ts';

export const subjectRoles = { roles: 'subjects_roles', attributes: 'identities_roleAttributes' };

/** A sub-query with the ids of the subjects of an identity: its own, and those whose roles select it. */
export function subjectsWith(identityId: string): RawBuilder<unknown> {
  return sql`select ${identityId} as "id" union all ${policiesSelecting({ id: identityId, ...subjectRoles })}`;
}

/**
 * A sub-query with the time of the last change of some subjects, for one identity. Earlier ones than `since` of the identity do
 * not count: they were before it got into the subject.
 *
 * @param subjects a sub-query with their ids
 */
export function lastChangeIn(subjects: RawBuilder<unknown>, identityId: string): RawBuilder<number> {
  return sql<number>`(select max("lastChangeAt") from "subjects" where "id" in (${subjects}) and ("id" = ${identityId}
    or "lastChangeAt" > coalesce((select "since" from "subjects" where "id" = ${identityId}), 0)))`;
}
