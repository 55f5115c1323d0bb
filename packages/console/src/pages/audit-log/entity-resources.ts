import type { OperationTable } from '@edge-controller/operation-tables';

/** The list that has the entities of a type of the audit log: `authPolicy` → `authPolicies`. */
export function resourceOfType(table: OperationTable, type: string | null): string | undefined {
  // Most API sessions of the log have ended.
  if (type === null || type === 'apiSession') return undefined;
  return [`${type}s`, `${type.slice(0, -1)}ies`, `${type}es`].find((name) => table[name]?.verbs.get !== undefined);
}
