import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import { policiesSelecting } from '../../crud/roles.ts';

export const audienceRoles = { roles: 'audiences_roles', attributes: 'identities_roleAttributes' };

/** A sub-query with the ids of the audiences of an identity: its own, and those whose roles select it. */
export function audiencesWith(identityId: string): RawBuilder<unknown> {
  return sql`select ${identityId} as "id" union all ${policiesSelecting({ id: identityId, ...audienceRoles })}`;
}

/**
 * A sub-query with the time of the last change of some audiences, for one identity. Earlier ones than `since` of the identity do
 * not count: they were before it got into the audience.
 *
 * @param audiences a sub-query with their ids
 */
export function lastChangeIn(audiences: RawBuilder<unknown>, identityId: string): RawBuilder<number> {
  return sql<number>`(select max("lastChangeAt") from "audiences" where "id" in (${audiences}) and ("id" = ${identityId}
    or "lastChangeAt" > coalesce((select "since" from "audiences" where "id" = ${identityId}), 0)))`;
}
