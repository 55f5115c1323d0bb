import type { Sizes } from '../../core/text/parts-of.ts';
import type { Derived, EntityState } from '../../storage/entity-store/state.ts';
import type { FieldsOf } from '../../storage/entity-store/tables.ts';
import type { Caller } from '../dependencies.ts';
import type { AccessPolicy } from './read-access.ts';
import { readAccess } from './read-access.ts';
import { readPostureQueries } from './read-posture-queries.ts';
import type { Shown } from './read-shown-configs.ts';
import { readConfigSizes, readShownConfigs } from './read-shown-configs.ts';
import { viewOf } from './view.ts';

type Fields = FieldsOf<'services'>;

const ofNobody = [new Map<string, AccessPolicy[]>(), new Map<string, Shown>()] as const;

/** Reads what the caller may do with the services of a page: the same number of queries, however many services there are. */
export async function derive(caller: Caller, services: readonly EntityState<Fields>[]): Promise<Derived<Fields>[]> {
  const view = viewOf(caller);
  const ids = services.map(({ id }) => id);
  const [access, configs] = view
    ? await Promise.all([readAccess(caller, view.identityId, ids), readShownConfigs(caller, view, services)])
    : ofNobody;
  const queriesOf = await readPostureQueries(caller, [...access.values()].flat());
  return services.map(({ id }) => {
    const policies = access.get(id) ?? [];
    const held = new Set(policies.map(({ type }) => type));
    const permissions: Derived<Fields>['permissions'] = held.size > 0 ? [...held].toSorted() : ['Invalid'];
    return { permissions, config: configs.get(id) ?? {}, postureQueries: queriesOf(policies, permissions) };
  });
}

/** Configs are the long part of a service. */
export async function derivedSizes(caller: Caller, services: readonly EntityState<Fields>[]) {
  const view = viewOf(caller);
  return view ? await readConfigSizes(caller, view, services) : new Map<string, Sizes>();
}
