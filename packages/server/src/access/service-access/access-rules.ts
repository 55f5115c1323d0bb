import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { AccessRule, Write } from '../../crud/define-entity.ts';
import { isAnySelected, policiesSelecting, policiesSelectingAny, policiesSelectingBoth } from '../../crud/roles.ts';
import type { PolicyLock } from '../service-updates/lock-policies.ts';
import { lockPolicies } from '../service-updates/lock-policies.ts';
import { markAttributes } from '../service-updates/mark-attributes.ts';
import { markPolicy } from '../service-updates/mark-policy.ts';
import { forgetIdentity, markSubjects, subjectsOf } from '../service-updates/mark-subjects.ts';
import { checkRoles, identityRoles, serviceRoles } from '../service-updates/policy-roles.ts';
import { accessRule } from './access-rule.ts';

const ofService = (serviceId: string) => ({ serviceId });

/** What routers are and who selects them: no session loses its right by that. */
const ofRouters = accessRule({ created: 'none', deleted: () => 'none' });

/**
 * The rules of the entities that decide who may use which services, and of those that services show. Which fields count is said
 * in the definitions.
 */
export const accessRules = {
  identities: accessRule({
    losing: (identityId) => ({ identityId }),
    isUsedLater: true,
    async marking({ unit, previous, next }, run) {
      if (next) {
        await lockPolicies(unit, 'share row exclusive');
        return await markAttributes(unit, next.id, run);
      }
      // This needs no lock: nobody asks for the services of a deleted identity any more.
      await run();
      if (previous) await forgetIdentity(unit, previous.id);
    },
  }),
  services: accessRule({
    losing: ofService,
    deleted: ofService,
    isShownWhole: true,
    marking: asking('share', (id) => subjectsOf(policiesSelecting({ id, ...serviceRoles }))),
  }),
  servicePolicies: accessRule({
    created: 'none',
    deleted: () => 'all',
    marking: ({ unit, ...states }, run) => markPolicy(unit, states, run),
  }),
  postureChecks: accessRule({
    created: 'all',
    deleted: () => 'none',
    isShownWhole: true,
    marking: asking('share row exclusive', (id, { previous, next }) => {
      const selecting = policiesSelecting({ id, ...checkRoles });
      return subjectsOf(withServices(previous && next ? selecting : sql`${selecting} union ${everyPolicyWithout(id)}`));
    }),
  }),
  configs: accessRule({
    isUsedLater: true,
    marking: asking('share row exclusive', (id) => usersOfConfigs(sql`select ${id}`)),
  }),
  configTypes: accessRule({
    isUsedLater: true,
    marking: asking('share row exclusive', (id) =>
      usersOfConfigs(sql`select "id" from "configs" where "configTypeId" = ${id}`),
    ),
  }),
  edgeRouters: ofRouters,
  edgeRouterPolicies: ofRouters,
  serviceEdgeRouterPolicies: ofRouters,
};

/**
 * Marks the subjects that had the entity before the write, and those that have it afterwards.
 *
 * @param subjects a sub-query with the ids of the subjects
 */
function asking(lock: PolicyLock, subjects: (id: string, write: Write) => RawBuilder<unknown>): AccessRule {
  return async (write, run) => {
    const { unit, previous, next } = write;
    await lockPolicies(unit, lock);
    if (previous) await markSubjects(unit, subjects(previous.id, write));
    await run();
    if (next) await markSubjects(unit, subjects(next.id, write));
  };
}

/** Services show other posture queries as soon as there is a posture check at all. */
function everyPolicyWithout(checkId: string): RawBuilder<unknown> {
  return sql`select "id" from "servicePolicies"
    where not exists (select 1 from "postureChecks" where "id" <> ${checkId})`;
}

/** Those of some policies that have a service. */
function withServices(policies: RawBuilder<unknown>): RawBuilder<unknown> {
  const isOwn = isAnySelected({ policies: sql`p."id"`, ...serviceRoles });
  return sql`select p."id" from "servicePolicies" p where p."id" in (${policies}) and (${isOwn})`;
}

/** The subjects of services that have these configs, and the identities that have one for a service that they may use. */
function usersOfConfigs(configs: RawBuilder<unknown>): RawBuilder<unknown> {
  const services = sql`select "ownerId" from "services_configs" where "value" in (${configs})`;
  const usable = policiesSelectingBoth(
    { id: sql.ref('assigned.ownerId'), ...identityRoles },
    { id: sql.ref('assigned.serviceId'), ...serviceRoles },
  );
  return sql`${subjectsOf(policiesSelectingAny({ ids: services, ...serviceRoles }))}
    union select assigned."ownerId" from "identities_serviceConfigs" assigned
      where assigned."configId" in (${configs}) and exists (${usable})`;
}
