import { invalidField } from '../core/api-error.ts';
import type { UnitOfWork } from '../crud/unit-of-work.ts';
import { inValues } from '../storage/database/sql/select-values.ts';

type Target = 'service' | 'router';

/**
 * Checks the types of the configs of a service or router. Unknown ids are left out.
 *
 * @throws 400 when two have the same type, or a type is not for these entities
 */
export async function checkConfigs(unit: UnitOfWork, target: Target, ids: readonly string[]): Promise<void> {
  const names = new Map<string, string>();
  for (const { name, type } of await readConfigsFor(unit, target, { field: 'configs', ids })) {
    const other = names.get(type);
    if (other !== undefined) {
      const reason = `duplicate configs named ${other} and ${name} found for config type ${type}`;
      throw invalidField('configs', reason, ids.join(', '));
    }
    names.set(type, name);
  }
}

/**
 * Reads configs with the names of their types. Unknown ids are left out.
 *
 * @throws 400 for this field when a type is not for these entities
 */
export async function readConfigsFor(
  { tx, caller }: UnitOfWork,
  target: Target,
  { field, ids }: { readonly field: string; readonly ids: readonly string[] },
) {
  if (ids.length === 0) return [];
  const configs = await tx
    .selectFrom('configs')
    .innerJoin('configTypes', 'configTypes.id', 'configs.configTypeId')
    .select(['configs.id', 'configs.name', 'configTypes.name as type', 'configTypes.target'])
    .where('configs.id', 'in', inValues(caller.database.sql, ids))
    .execute();
  for (const { id, type, target: wanted } of configs) {
    if (wanted !== target) throw invalidField(field, `configs of the type ${type} are not for ${target}s`, id);
  }
  return configs;
}
