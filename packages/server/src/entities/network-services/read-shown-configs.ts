import type { Sizes } from '../../core/text/parts-of.ts';
import { inValues } from '../../storage/database/sql/select-values.ts';
import { allConfigTypes } from '../../storage/session-store/session-store.ts';
import type { Dependencies, View } from '../dependencies.ts';

interface Configured {
  readonly id: string;
  readonly configs: readonly string[];
}

/** The ids of configs by the id of the service. Of two with one type, the last one counts. */
type ConfigIds = ReadonlyMap<string, readonly string[]>;

/** Config type → data. */
export type Shown = Record<string, Record<string, unknown>>;

/**
 * Reads the configs of the wanted types that an identity gets for these services, by the id of the service. What is assigned to
 * the identity takes the place of the config of the same type.
 */
export async function readShownConfigs(
  call: Dependencies,
  view: View,
  services: readonly Configured[],
): Promise<ReadonlyMap<string, Shown>> {
  if (view.configTypes.length === 0) return new Map();
  const ofServices = await readConfigIds(call, view.identityId, services);
  const rows = await selectConfigs(call, view, ofServices).select(['configs.data', 'configTypes.name']).execute();
  // Services share configs, so each is parsed once.
  const known = new Map(rows.map(({ id, name, data }) => [id, { name, data: JSON.parse(data) as Shown[string] }]));
  const shownOf = (ids: readonly string[]) => ids.flatMap((id) => known.get(id) ?? []);
  return new Map(
    [...ofServices].map(([id, ids]) => [id, Object.fromEntries(shownOf(ids).map(({ name, data }) => [name, data]))]),
  );
}

/** Reads the bytes of these configs by the id of the config, by the id of the service. */
export async function readConfigSizes(
  call: Dependencies,
  view: View,
  services: readonly Configured[],
): Promise<ReadonlyMap<string, Sizes>> {
  if (view.configTypes.length === 0) return new Map();
  const ofServices = await readConfigIds(call, view.identityId, services);
  const rows = await selectConfigs(call, view, ofServices)
    .select(({ fn }) => fn<number>('octet_length', ['configs.data']).as('bytes'))
    .execute();
  const known = new Map(rows.map((row) => [row.id, Number(row.bytes)]));
  return new Map([...ofServices].map(([id, ids]) => [id, new Map(ids.map((each) => [each, known.get(each) ?? 0]))]));
}

/** Reads the ids of the configs of services and of those that are assigned to an identity. */
async function readConfigIds(
  { database }: Dependencies,
  identityId: string,
  services: readonly Configured[],
): Promise<ConfigIds> {
  const ids = services.map(({ id }) => id);
  const rows = await database.db
    .selectFrom('identities_serviceConfigs')
    .select(['serviceId', 'configId'])
    .where('ownerId', '=', identityId)
    .where('serviceId', 'in', inValues(database.sql, ids))
    .execute();
  const assigned = Map.groupBy(rows, ({ serviceId }) => serviceId);
  const assignedTo = (id: string) => (assigned.get(id) ?? []).map(({ configId }) => configId);
  return new Map(services.map(({ id, configs }) => [id, [...configs, ...assignedTo(id)]]));
}

/** The configs of the wanted types. */
function selectConfigs({ database }: Dependencies, { configTypes }: View, ofServices: ConfigIds) {
  const ids = [...new Set([...ofServices.values()].flat())];
  const ofIds = database.db
    .selectFrom('configs')
    .innerJoin('configTypes', 'configTypes.id', 'configs.configTypeId')
    .select('configs.id')
    .where('configs.id', 'in', inValues(database.sql, ids));
  return configTypes.includes(allConfigTypes)
    ? ofIds
    : ofIds.where('configTypes.id', 'in', inValues(database.sql, configTypes));
}
