import { isDeepStrictEqual } from 'node:util';
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { EntityName } from '../../storage/entity-store/tables.ts';
import type { AnyState, Entity } from '../entity.ts';
import { isAnySelected, policiesSelecting, policiesSelectingAny, policiesSelectingBoth } from '../roles.ts';
import type { UnitOfWork } from '../unit-of-work.ts';
import type { PolicyLock } from './lock-policies.ts';
import { lockPolicies } from './lock-policies.ts';
import { notingAttributes } from './note-attributes.ts';
import { audiencesOf, forgetIdentity, noteAudiences } from './note-audiences.ts';
import { notingPolicy } from './note-policy.ts';
import { checkRoles, identityRoles, serviceRoles } from './policy-roles.ts';

interface Write {
  readonly unit: UnitOfWork;
  readonly entity: Entity;
  /** `null`: the entity is created. */
  readonly previous: AnyState | null;
  /** `null`: the entity is deleted. */
  readonly next: AnyState | null;
}

/** How changes of an entity change the services of identities. */
interface Rule {
  /** The fields that the services show, or that decide who has them. Default: all. */
  readonly fields?: readonly string[];
  /** Creating one changes nothing: no service has it yet, or, for an identity, nobody has asked for its services yet. */
  readonly isUsedLater?: true;
  readonly lock?: PolicyLock;
  /** Runs the write, and notes whose services it changes. */
  readonly noting: (write: Write, run: () => Promise<void>) => Promise<void>;
}

/**
 * Notes those who had what is written before, and those who have it then.
 *
 * @param audiences a sub-query with the ids of the audiences
 */
function asking(audiences: (id: string, write: Write) => RawBuilder<unknown>): Rule['noting'] {
  return async (write, run) => {
    const { unit, previous, next } = write;
    if (previous) await noteAudiences(unit, audiences(previous.id, write));
    await run();
    if (next) await noteAudiences(unit, audiences(next.id, write));
  };
}

/** All that the services of an identity are made of. */
const rules: Readonly<Partial<Record<EntityName, Rule>>> = {
  identities: {
    fields: ['roleAttributes'],
    isUsedLater: true,
    lock: 'share row exclusive',
    async noting({ unit, previous, next }, run) {
      if (previous && next) return await notingAttributes(unit, next.id, run);
      await run();
      if (previous) await forgetIdentity(unit, previous.id);
    },
  },
  services: {
    lock: 'share',
    noting: asking((id) => audiencesOf(policiesSelecting({ id, ...serviceRoles }))),
  },
  servicePolicies: {
    fields: ['type', 'semantic', 'identityRoles', 'serviceRoles', 'postureCheckRoles'],
    noting: ({ unit, ...states }, run) => notingPolicy(unit, states, run),
  },
  postureChecks: {
    lock: 'share row exclusive',
    noting: asking((id, { previous, next }) => {
      const selecting = policiesSelecting({ id, ...checkRoles });
      return audiencesOf(
        withServices(previous && next ? selecting : sql`${selecting} union ${everyPolicyWithout(id)}`),
      );
    }),
  },
  configs: {
    fields: ['data'],
    isUsedLater: true,
    lock: 'share row exclusive',
    noting: asking((id) => usersOfConfigs(sql`select ${id}`)),
  },
  configTypes: {
    fields: ['name'],
    isUsedLater: true,
    lock: 'share row exclusive',
    noting: asking((id) => usersOfConfigs(sql`select "id" from "configs" where "configTypeId" = ${id}`)),
  },
};

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

/** The audiences of services that have these configs, and the identities that have one for a service that they may use. */
function usersOfConfigs(configs: RawBuilder<unknown>): RawBuilder<unknown> {
  const services = sql`select "ownerId" from "services_configs" where "value" in (${configs})`;
  const usable = policiesSelectingBoth(
    { id: sql.ref('assigned.ownerId'), ...identityRoles },
    { id: sql.ref('assigned.serviceId'), ...serviceRoles },
  );
  return sql`${audiencesOf(policiesSelectingAny({ ids: services, ...serviceRoles }))}
    union select assigned."ownerId" from "identities_serviceConfigs" assigned
      where assigned."configId" in (${configs}) and exists (${usable})`;
}

/** Runs the write of an entity, and notes whose services it changes: those who had them before, and those who have them then. */
export async function notingChange(write: Write, run: () => Promise<void>): Promise<void> {
  const rule = rules[write.entity.name];
  if (!rule || !isRelevant(rule, write)) return await run();
  // An identity that is deleted needs no lock: nobody asks for its services any more.
  if (rule.lock && (write.next || write.entity.name !== 'identities')) await lockPolicies(write.unit, rule.lock);
  await rule.noting(write, run);
}

function isRelevant({ fields, isUsedLater }: Rule, { previous, next }: Write): boolean {
  if (!previous) return !isUsedLater;
  return !next || !fields || fields.some((name) => !isDeepStrictEqual(next[name], previous[name]));
}
