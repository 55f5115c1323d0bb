import { isDeepStrictEqual } from 'node:util';
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { EntityName } from '../../entity-store/tables.ts';
import type { AnyState, Entity } from '../entity.ts';
import { policiesSelecting, policiesSelectingAny } from '../roles.ts';
import type { UnitOfWork } from '../unit-of-work.ts';
import { audiencesOf, forgetIdentity, noteAudiences, setAudience } from './note-audiences.ts';

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
  /** A change does not change the audiences, so they are asked once. */
  readonly keepsAudiences?: true;
  /** Creating one changes nothing: no service has it yet, or, for an identity, nobody has asked for its services yet. */
  readonly isUsedLater?: true;
  /**
   * What must not happen at the same time, as a lock of PostgreSQL on the table of the policies. `share`: a change of a policy.
   * `share row exclusive`: also a change of another entity with a lock.
   */
  readonly lock?: 'share' | 'share row exclusive';
  /** A sub-query with the ids of the audiences, asked before and after the write. */
  readonly audiences: (id: string, write: Write) => RawBuilder<unknown>;
}

const serviceRoles = { roles: 'servicePolicies_serviceRoles', attributes: 'services_roleAttributes' };
const checkRoles = { roles: 'servicePolicies_postureCheckRoles', attributes: 'postureChecks_roleAttributes' };

/** All that the services of an identity are made of. */
const rules: Readonly<Partial<Record<EntityName, Rule>>> = {
  identities: {
    fields: ['roleAttributes'],
    keepsAudiences: true,
    isUsedLater: true,
    audiences: (id) => sql`select ${id}`,
  },
  services: {
    lock: 'share',
    audiences: (id) => audiencesOf(policiesSelecting({ id, ...serviceRoles })),
  },
  servicePolicies: {
    fields: ['type', 'semantic', 'identityRoles', 'serviceRoles', 'postureCheckRoles'],
    audiences: (id) => audiencesOf(sql`select ${id}`),
  },
  postureChecks: {
    lock: 'share row exclusive',
    audiences: (id, { previous, next }) =>
      audiencesOf(
        previous && next
          ? policiesSelecting({ id, ...checkRoles })
          : sql`${policiesSelecting({ id, ...checkRoles })} union ${everyPolicyWithout(id)}`,
      ),
  },
  configs: {
    fields: ['data'],
    isUsedLater: true,
    lock: 'share row exclusive',
    audiences: (id) => usersOfConfigs(sql`select ${id}`),
  },
  configTypes: {
    fields: ['name'],
    isUsedLater: true,
    lock: 'share row exclusive',
    audiences: (id) => usersOfConfigs(sql`select "id" from "configs" where "configTypeId" = ${id}`),
  },
};

/** Services show other posture queries as soon as there is a posture check at all. */
function everyPolicyWithout(checkId: string): RawBuilder<unknown> {
  return sql`select "id" from "servicePolicies"
    where not exists (select 1 from "postureChecks" where "id" <> ${checkId})`;
}

/** The audiences of services that have these configs, and the identities that have one for a service. */
function usersOfConfigs(configs: RawBuilder<unknown>): RawBuilder<unknown> {
  const services = sql`select "ownerId" from "services_configs" where "value" in (${configs})`;
  return sql`${audiencesOf(policiesSelectingAny({ ids: services, entities: 'services', ...serviceRoles }))}
    union select "ownerId" from "identities_serviceConfigs" where "configId" in (${configs})`;
}

/** Runs the write of an entity, and notes whose services it changes: those who had them before, and those who have them then. */
export async function notingChange(write: Write, run: () => Promise<void>): Promise<void> {
  const { unit, entity, previous, next } = write;
  const rule = rules[entity.name];
  if (!rule || !isRelevant(rule, write)) return await run();
  if (rule.lock) await lockPolicies(unit, rule.lock);
  if (previous && !(next && rule.keepsAudiences)) await noteAudiences(unit, rule.audiences(previous.id, write));
  await run();
  if (next && entity.name === 'servicePolicies') await setAudience(unit, next);
  if (next) await noteAudiences(unit, rule.audiences(next.id, write));
  else if (previous && entity.name === 'identities') await forgetIdentity(unit, previous.id);
}

/** Notes that the services of one identity change. */
export async function noteIdentity(unit: Pick<UnitOfWork, 'tx' | 'caller'>, id: string): Promise<void> {
  await noteAudiences(unit, sql`select ${id}`);
}

function isRelevant({ fields, isUsedLater }: Rule, { previous, next }: Write): boolean {
  if (!previous) return !isUsedLater;
  return !next || !fields || fields.some((name) => !isDeepStrictEqual(next[name], previous[name]));
}

/**
 * Otherwise a policy could begin to select an entity at the same time, and neither change would see the other one. The entity is
 * locked first, as in a change of a policy: another order could deadlock. SQLite runs one change after the other.
 */
async function lockPolicies({ tx, caller }: UnitOfWork, mode: NonNullable<Rule['lock']>): Promise<void> {
  if (caller.entities.dialect === 'sqlite') return;
  await sql`lock table "servicePolicies" in ${sql.raw(mode)} mode`.execute(tx);
}
