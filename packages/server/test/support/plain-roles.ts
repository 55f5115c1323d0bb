import fc from 'fast-check';

/** Roles of a policy about three entities. `@0` is the first of them. */
export const someRoles = fc.oneof(fc.subarray(['#a', '#b', '@0', '@1']), fc.constant(['#all']));
/** Role attributes of an entity. */
export const someAttributes = fc.subarray(['a', 'b', 'all']);
export const someSemantic = fc.constantFrom('AllOf' as const, 'AnyOf' as const);

export type Semantic = 'AllOf' | 'AnyOf';

/** Whether roles select the entity with this place and these role attributes: the rules without any SQL. */
export function selects(
  roles: readonly string[],
  semantic: Semantic,
  { place, held }: { readonly place: number; readonly held: readonly string[] },
): boolean {
  if (roles.includes('#all') || roles.includes(`@${place}`)) return true;
  const wanted = roles.filter((role) => role.startsWith('#')).map((role) => role.slice(1));
  const holds = (name: string) => held.includes(name);
  return wanted.length > 0 && (semantic === 'AllOf' ? wanted.every(holds) : wanted.some(holds));
}
