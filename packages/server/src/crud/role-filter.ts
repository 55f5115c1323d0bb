import type { RawBuilder } from 'kysely';
import { invalidField } from '../core/api-error.ts';
import type { EntityName } from '../storage/entity-store/tables.ts';
import type { Dependencies } from './dependencies.ts';
import { attributesTable } from './role-attributes.ts';
import type { Semantic } from './roles.ts';
import { isSelected, selectedByFilter } from './roles.ts';

/** Parameters of a list of entities that have role attributes. */
export interface RoleFilter {
  readonly roleFilter?: readonly string[] | undefined;
  readonly roleSemantic?: string | undefined;
}

const semantics = new Map<string, Semantic>([
  ['allof', 'AllOf'],
  ['anyof', 'AnyOf'],
]);

/**
 * The conditions of a role filter on `t`, the row of the listed entity.
 *
 * @throws 400 for a role without `#` or `@`, and for an unknown semantic
 */
export async function roleConditions(
  dependencies: Dependencies,
  name: EntityName,
  { roleFilter = [], roleSemantic = 'AllOf' }: RoleFilter,
): Promise<RawBuilder<boolean>[]> {
  const { database } = dependencies;
  const attributes = attributesTable(dependencies, name);
  if (attributes === undefined || roleFilter.length === 0) return [];
  const semantic = semantics.get(roleSemantic.toLowerCase());
  if (!semantic) throw invalidField('semantic', 'invalid semantic', roleSemantic);
  // No text of PostgreSQL has a zero character.
  const bad = roleFilter.find((role) => !/^[#@]./s.test(role) || role.includes('\0'));
  if (bad !== undefined) throw invalidField('roleFilter', 'a role begins with # or @', bad);
  const selection = await selectedByFilter({
    db: database.lists,
    dialect: database.sql,
    roles: roleFilter,
    semantic,
    attributes,
  });
  const condition = isSelected(selection, { attributes, dialect: database.sql });
  return condition ? [condition] : [];
}
