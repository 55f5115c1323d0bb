import { assignedFor } from '../../crud/assignments.ts';
import { inValues } from '../../database/sql/select-values.ts';
import { allConfigTypes } from '../../session-store/session-store.ts';
import type { Caller } from '../services.ts';

interface Configured {
  readonly id: string;
  readonly configs: readonly string[];
}

/** Config type → data. */
type Shown = Record<string, Record<string, unknown>>;

/**
 * Reads the configs that the caller gets for these services, by the id of the service: those of the types that its API session
 * asked for. What is assigned to the caller takes the place of the config of the same type.
 */
export async function readShownConfigs(
  caller: Caller,
  services: readonly Configured[],
): Promise<ReadonlyMap<string, Shown>> {
  const { configTypes = [] } = caller.session?.stored ?? {};
  if (configTypes.length === 0) return new Map();
  const assigned = await readAssigned(caller, services);
  const known = await readConfigs(caller, [
    ...services.flatMap(({ configs }) => configs),
    ...[...assigned.values()].flat(),
  ]);
  const isWanted = (typeId: string) => configTypes.includes(allConfigTypes) || configTypes.includes(typeId);
  return new Map(
    services.map(({ id, configs }) => {
      const shown = [...configs, ...(assigned.get(id) ?? [])].flatMap((configId) => {
        const config = known.get(configId);
        return config && isWanted(config.typeId) ? [[config.type, JSON.parse(config.data)]] : [];
      });
      return [id, Object.fromEntries(shown)];
    }),
  );
}

/** Reads the ids of the configs that are assigned to the caller, by the id of the service. */
async function readAssigned(
  { entities, session }: Caller,
  services: readonly Configured[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (!session) return new Map();
  const ids = services.map(({ id }) => id);
  const owner = { entity: 'identities', id: session.principal.id } as const;
  const rows = await assignedFor(entities, owner, { name: 'serviceConfigs', member: 'serviceId', ids });
  const byService = Map.groupBy(rows, ({ serviceId = '' }) => serviceId);
  return new Map([...byService].map(([id, all]) => [id, all.map(({ configId = '' }) => configId)]));
}

async function readConfigs({ entities }: Caller, ids: readonly string[]) {
  const rows = await entities.db
    .selectFrom('configs')
    .innerJoin('configTypes', 'configTypes.id', 'configs.configTypeId')
    .select(['configs.id', 'configs.data', 'configTypes.id as typeId', 'configTypes.name as type'])
    .where('configs.id', 'in', inValues(entities.sql, ids))
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}
