/** `auth-policies` of the wire → `authPolicies` of the API tree. */
export function resourceOfReference(entity: string): string {
  return entity.replaceAll(/-([a-z0-9])/g, (_all, letter: string) => letter.toUpperCase());
}
