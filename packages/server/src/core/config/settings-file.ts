import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { settingsTable } from './schema.ts';

const keys = new Set(Object.values(settingsTable).map(({ key }) => key));

/**
 * Returns the values of a YAML file by their dotted keys.
 *
 * @throws Error when the file cannot be read, is not YAML, or does not begin with a key
 */
export function readSettingsFile(path: string): ReadonlyMap<string, unknown> {
  // Loaded here, because most controllers have no settings file. `import()` would make `loadSettings` asynchronous.
  const { parse } = createRequire(import.meta.url)('yaml') as typeof import('yaml');
  const tree: unknown = parse(readFileSync(path, 'utf8')) ?? {};
  if (typeof tree !== 'object' || Array.isArray(tree))
    throw new Error('begin the file with a key from docs/configuration.md');
  return flatten(tree);
}

/** Returns the keys that no setting has. */
export function unknownKeys(values: ReadonlyMap<string, unknown>): string[] {
  return [...values.keys()].filter((key) => !keys.has(key));
}

function flatten(tree: unknown, prefix = '', into = new Map<string, unknown>()): Map<string, unknown> {
  if (tree === null || typeof tree !== 'object' || Array.isArray(tree) || keys.has(prefix)) {
    into.set(prefix, tree);
    return into;
  }
  for (const [key, value] of Object.entries(tree)) flatten(value, prefix === '' ? key : `${prefix}.${key}`, into);
  return into;
}
