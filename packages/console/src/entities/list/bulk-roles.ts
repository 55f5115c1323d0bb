import type { Field } from '@edge-controller/operation-tables';
import { isRow } from '@edge-controller/operation-tables';
import { callOf } from '../../api/calls.ts';

export interface RolesChange {
  readonly isAdding: boolean;
  readonly field: Field;
}

/** Adds role attributes to an entity, or removes them. The others stay. */
export async function changeRoles(
  resource: string,
  id: string,
  { isAdding, field: { name } }: RolesChange,
  given: readonly string[],
): Promise<void> {
  const entity = await callOf('management', resource, 'get')(id);
  const before = isRow(entity) ? textsOf(entity[name]) : [];
  const changed = given.filter((attribute) => before.includes(attribute) !== isAdding);
  if (changed.length === 0) return;
  const after = isAdding ? [...before, ...changed] : before.filter((attribute) => !changed.includes(attribute));
  await callOf('management', resource, 'patch')(id, { [name]: after });
}

export function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
