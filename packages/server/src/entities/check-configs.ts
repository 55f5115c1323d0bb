import { invalidField } from '../api-error.ts';
import type { UnitOfWork } from '../crud/unit-of-work.ts';
import { inValues } from '../database/sql/select-values.ts';

/**
 * Checks the types of the configs of a service or router. Unknown ids are left out.
 *
 * @throws 400 when two have the same type, or a type is not for these entities
 */
export async function checkConfigs(
  { tx, caller }: UnitOfWork,
  target: 'service' | 'router',
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  const configs = await tx
    .selectFrom('configs')
    .innerJoin('configTypes', 'configTypes.id', 'configs.configTypeId')
    .select(['configs.id', 'configs.name', 'configTypes.name as type', 'configTypes.target'])
    .where('configs.id', 'in', inValues(caller.entities.sql, ids))
    .execute();
  const names = new Map<string, string>();
  for (const { id, name, type, target: wanted } of configs) {
    if (wanted !== target) throw invalidField('configs', `configs of the type ${type} are not for ${target}s`, id);
    const other = names.get(type);
    if (other !== undefined) {
      const reason = `duplicate configs named ${other} and ${name} found for config type ${type}`;
      throw invalidField('configs', reason, `[${ids.join(' ')}]`);
    }
    names.set(type, name);
  }
}
