import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import { policiesSelecting, policiesSelectingAny } from '../../crud/roles.ts';
import type { UnitOfWork } from '../../crud/unit-of-work.ts';
import { selectValues } from '../../storage/database/sql/select-values.ts';
import { lockPolicies } from './lock-policies.ts';
import { markIdentity } from './mark-subjects.ts';
import { identityRoles, serviceRoles } from './policy-roles.ts';

/** A config that an identity gets for a service, instead of the one of the service with the same type. */
interface AssignedConfig {
  readonly serviceId: string;
  readonly configId: string;
}

interface Assigned {
  readonly before: readonly AssignedConfig[];
  readonly after: readonly AssignedConfig[];
}

/** Marks that an identity has got other configs for services. Those of services that it may not use change nothing. */
export async function markAssigned(unit: UnitOfWork, id: string, assigned: Assigned): Promise<void> {
  if (isDeepStrictEqual(assigned.before, assigned.after)) return;
  await lockPolicies(unit, 'share row exclusive');
  const { tx, caller } = unit;
  const changed = selectValues(caller.database.sql, await servicesWithOthers(unit, assigned));
  const used = sql`select "ownerId" from (${policiesSelecting({ id, ...identityRoles })}) as own
    intersect select "ownerId" from (${policiesSelectingAny({ ids: changed, ...serviceRoles })}) as selecting`;
  const { rows } = await sql`select * from (${used}) as used limit 1`.execute(tx);
  if (rows.length > 0) await markIdentity(unit, id);
}

/** The services that show other configs. */
async function servicesWithOthers({ tx, caller }: UnitOfWork, { before, after }: Assigned): Promise<string[]> {
  const all = [...before, ...after];
  const services = [...new Set(all.map(({ serviceId }) => serviceId))];
  const ids = (values: readonly string[]) => selectValues(caller.database.sql, values);
  const own = await sql<{ serviceId: string; configId: string }>`select "ownerId" as "serviceId", "value" as "configId"
    from "services_configs" where "ownerId" in (${ids(services)})`.execute(tx);
  const configs = [...all, ...own.rows].map(({ configId }) => configId);
  const types = await sql<{ id: string; configTypeId: string }>`select "id", "configTypeId" from "configs"
    where "id" in (${ids(configs)})`.execute(tx);
  const typeOf = new Map(types.rows.map(({ id, configTypeId }) => [id, configTypeId]));
  // What is assigned to the identity takes the place of the config of the service with the same type.
  const shown = (serviceId: string, assigned: readonly AssignedConfig[]) =>
    new Map(
      [...own.rows, ...assigned]
        .filter((one) => one.serviceId === serviceId)
        .map(({ configId }) => [typeOf.get(configId), configId]),
    );
  return services.filter((service) => !isDeepStrictEqual(shown(service, before), shown(service, after)));
}
