/**
 * The condition that finds the entities of a resource without names: by the identity or the service that they belong to. `id`: in
 * quotes, as a filter has it.
 */
export function ownerCondition(columns: readonly string[], id = '"<id>"'): string | null {
  const owner = ['identity', 'service'].find((name) => columns.includes(`${name}.name`));
  return owner === undefined ? null : `${owner} = ${id}`;
}
