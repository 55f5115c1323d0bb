import type { CommandEntry, CommandTable, Field, ResourceEntry } from './command-table.ts';

export type ApiName = 'client' | 'management';

/** The commands of one API. */
export async function loadTable(api: ApiName): Promise<CommandTable> {
  const loaded =
    api === 'client'
      ? await import('./generated/client.json', { with: { type: 'json' } })
      : await import('./generated/management.json', { with: { type: 'json' } });
  return loaded.default as CommandTable;
}

/** The members of a body. */
export async function loadBody({ body }: CommandEntry): Promise<readonly Field[]> {
  if (body === undefined || body === 'text') return [];
  const { default: bodies } = await import('./generated/bodies.json', { with: { type: 'json' } });
  return (bodies as Readonly<Record<string, readonly Field[]>>)[body] ?? [];
}

/** The resource with this name, or `undefined`. */
export function resourceOf(table: CommandTable, name: string): ResourceEntry | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
