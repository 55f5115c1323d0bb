import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';

/** Tables of roles, and of the entities and attributes that they select. */
interface Selecting {
  readonly roles: string;
  readonly attributes: string;
  readonly entities: string;
}

/** What service policies select: the tables of their roles, and of the attributes and entities that these select. */
export const identityRoles = { roles: 'servicePolicies_identityRoles', attributes: 'identities_roleAttributes' };
export const serviceRoles = {
  roles: 'servicePolicies_serviceRoles',
  attributes: 'services_roleAttributes',
  entities: 'services',
};
export const checkRoles = {
  roles: 'servicePolicies_postureCheckRoles',
  attributes: 'postureChecks_roleAttributes',
  entities: 'postureChecks',
};

/** A sub-query with the ids of what the roles of one owner select. It begins with the roles: there may be many entities. */
export function selectedByRolesOf(ownerId: string, { roles, attributes, entities }: Selecting): RawBuilder<unknown> {
  const [r, e, a] = [sql`${sql.table(roles)} r`, sql`${sql.table(entities)} e`, sql`${sql.table(attributes)} a`];
  return sql`select e."id" from ${r} cross join ${e} where r."ownerId" = ${ownerId} and r."value" = '#all'
    union select e."id" from ${r} cross join ${e}
      where r."ownerId" = ${ownerId} and r."value" like '@%' and e."id" = substr(r."value", 2)
    union select a."ownerId" from ${r} cross join ${a}
      where r."ownerId" = ${ownerId} and r."value" like '#%' and r."value" <> '#all' and a."value" = substr(r."value", 2)
      group by a."ownerId" having count(*) >= max(r."need")`;
}
