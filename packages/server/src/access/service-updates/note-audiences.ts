import { createHash } from 'node:crypto';
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { AnyState } from '../../crud/entity.ts';
import type { Semantic } from '../../crud/roles.ts';
import { needOf } from '../../crud/roles.ts';
import type { UnitOfWork } from '../../crud/unit-of-work.ts';

/**
 * Notes that the services of some audiences change with this transaction. A row that waits for its time stands for this change,
 * too: this transaction locks it, so it is not deleted before the commit.
 *
 * @param audiences a sub-query with their ids: of identities, or of the roles of policies
 */
export async function noteAudiences(
  { tx, caller }: Pick<UnitOfWork, 'tx' | 'caller'>,
  audiences: RawBuilder<unknown>,
): Promise<void> {
  const { entities, clock } = caller;
  await sql`with noted ("id") as (${audiences}),
      waiting as (select "audienceId" from "audienceChanges"
        where "audienceId" in (select "id" from noted) ${entities.sql.forKeyShare})
    insert into "audienceChanges" ("audienceId", "changedAt")
    select distinct "id", cast(${clock()} as bigint) from noted
      where "id" not in (select "audienceId" from waiting)`.execute(tx);
}

/** Notes that the services of one identity change. */
export async function noteIdentity(unit: Pick<UnitOfWork, 'tx' | 'caller'>, id: string): Promise<void> {
  await noteAudiences(unit, sql`select ${id}`);
}

/** The ids of the audiences of some policies: a sub-query of the ids of the policies becomes another one. */
export function audiencesOf(policies: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`select "audienceId" from "policyAudiences" where "policyId" in (${policies})`;
}

/**
 * Gives a service policy the audience of its identity roles. Policies with the same roles share one. An audience stays when its
 * policies have other roles: its identities still have to hear of that.
 */
export async function setAudience({ tx }: UnitOfWork, { id, identityRoles, semantic }: AnyState): Promise<void> {
  const roles = identityRoles as string[];
  const audience = createHash('sha256')
    .update(JSON.stringify([needOf(roles, semantic as Semantic), roles]))
    .digest('base64url');
  await sql`insert into "audiences" ("id", "lastChangeAt") values (${audience}, 0) on conflict ("id") do nothing`.execute(
    tx,
  );
  await sql`insert into "audiences_roles" ("ownerId", "value", "need")
    select ${audience}, "value", "need" from "servicePolicies_identityRoles" where "ownerId" = ${id}
    on conflict ("value", "ownerId") do nothing`.execute(tx);
  await sql`insert into "policyAudiences" ("policyId", "audienceId") values (${id}, ${audience})
    on conflict ("policyId") do update set "audienceId" = excluded."audienceId"`.execute(tx);
}

/** Forgets an identity that is deleted. */
export async function forgetIdentity({ tx }: UnitOfWork, id: string): Promise<void> {
  await sql`delete from "audienceChanges" where "audienceId" = ${id}`.execute(tx);
  await sql`delete from "audiences" where "id" = ${id}`.execute(tx);
}
