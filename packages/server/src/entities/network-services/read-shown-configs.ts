import { assignedFor } from '../../crud/assignments.ts';
import { inValues } from '../../database/sql/select-values.ts';
import { allConfigTypes } from '../../session-store/session-store.ts';
import type { Services, View } from '../services.ts';

interface Configured {
  readonly id: string;
  readonly configs: readonly string[];
}

/** Config type → data. */
export type Shown = Record<string, Record<string, unknown>>;

/**
 * Reads the configs of the wanted types that an identity gets for these services, by the id of the service. What is assigned to
 * the identity takes the place of the config of the same type.
 */
export async function readShownConfigs(
  call: Services,
  { identityId, configTypes }: View,
  services: readonly Configured[],
): Promise<ReadonlyMap<string, Shown>> {
  if (configTypes.length === 0) return new Map();
  const assigned = await readAssigned(call, identityId, services);
  const ids = [...services.flatMap((service) => service.configs), ...[...assigned.values()].flat()];
  const known = await readConfigs(call, configTypes, ids);
  return new Map(
    services.map(({ id, configs }) => {
      const shown = [...configs, ...(assigned.get(id) ?? [])].flatMap((configId) => known.get(configId) ?? []);
      return [id, Object.fromEntries(shown.map(({ type, data }) => [type, data]))];
    }),
  );
}

/** Reads the ids of the configs that are assigned to an identity, by the id of the service. */
async function readAssigned(
  { entities }: Services,
  identityId: string,
  services: readonly Configured[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const ids = services.map(({ id }) => id);
  const owner = { entity: 'identities', id: identityId } as const;
  const rows = await assignedFor(entities, owner, { name: 'serviceConfigs', member: 'serviceId', ids });
  const byService = Map.groupBy(rows, ({ serviceId = '' }) => serviceId);
  return new Map([...byService].map(([id, all]) => [id, all.map(({ configId = '' }) => configId)]));
}

/** Reads the configs of the wanted types. Services share them, so each is parsed once. */
async function readConfigs({ entities }: Services, configTypes: View['configTypes'], ids: readonly string[]) {
  const ofIds = entities.db
    .selectFrom('configs')
    .innerJoin('configTypes', 'configTypes.id', 'configs.configTypeId')
    .select(['configs.id', 'configs.data', 'configTypes.name as type'])
    .where('configs.id', 'in', inValues(entities.sql, [...new Set(ids)]));
  const wanted = configTypes.includes(allConfigTypes)
    ? ofIds
    : ofIds.where('configTypes.id', 'in', inValues(entities.sql, configTypes));
  const rows = await wanted.execute();
  return new Map(rows.map(({ id, type, data }) => [id, { type, data: JSON.parse(data) as Shown[string] }]));
}
