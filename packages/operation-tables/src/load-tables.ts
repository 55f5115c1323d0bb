import type { Field, OperationEntry, OperationTable, ResourceEntry } from './operation-table.ts';

export type ApiName = 'client' | 'management';

/** The operations of one API. */
export async function loadTable(api: ApiName): Promise<OperationTable> {
  const loaded =
    api === 'client'
      ? await import('./generated/client.json', { with: { type: 'json' } })
      : await import('./generated/management.json', { with: { type: 'json' } });
  return loaded.default as OperationTable;
}

/** The API on which the entities of a resource are found by name: its own one, if it lists them; or `null`. */
export async function apiOfNames(api: ApiName, resource: string): Promise<ApiName | null> {
  const candidates: readonly ApiName[] = api === 'client' ? ['client', 'management'] : ['management'];
  for (const candidate of candidates) {
    if (resourceOf(await loadTable(candidate), resource)?.hasNames) return candidate;
  }
  return null;
}

/** The members of a body. */
export async function loadBody({ body }: OperationEntry): Promise<readonly Field[]> {
  if (body === undefined || body === 'text') return [];
  const { default: bodies } = await import('./generated/bodies.json', { with: { type: 'json' } });
  return (bodies as Readonly<Record<string, readonly Field[]>>)[body] ?? [];
}

/** The resource with this name, or `undefined`. */
export function resourceOf(table: OperationTable, name: string): ResourceEntry | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
