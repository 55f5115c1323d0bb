import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parse } from 'yaml';

type Versions = Readonly<Record<string, string>>;

interface EntryTargets {
  readonly source?: string;
  readonly default?: string;
  readonly types?: string;
  readonly require?: { readonly types: string; readonly default: string };
}

type Exports = Readonly<Record<string, string | EntryTargets>>;

interface Manifest {
  readonly version: string;
  readonly exports: Exports;
  /** Names that only the package itself imports. */
  readonly imports?: object;
  readonly dependencies?: Versions;
  readonly peerDependencies?: Versions;
  readonly [member: string]: unknown;
}

/**
 * The package.json of a package as it is published: with versions for `workspace:` and `catalog:`, without the sources and
 * without what only this repository needs. `folder` is two levels below the root of the workspace.
 */
export function publishManifest(folder: string): object {
  const { scripts: _scripts, devDependencies: _devDependencies, ...manifest } = readManifest(folder);
  const { catalog }: { catalog: Versions } = parse(readFileSync(join(folder, '../../pnpm-workspace.yaml'), 'utf8'));
  const versionOf = ([name, range]: [string, string]) => {
    const inCatalog = catalog[name];
    if (range === 'catalog:') return [name, inCatalog && /^\d/.test(inCatalog) ? `^${inCatalog}` : inCatalog];
    if (range.startsWith('workspace:')) return [name, readManifest(join(folder, '..', basename(name))).version];
    return [name, range];
  };
  const withVersions = (member: 'dependencies' | 'peerDependencies') => {
    const ranges = manifest[member];
    return ranges && { [member]: Object.fromEntries(Object.entries(ranges).map(versionOf)) };
  };
  return {
    ...{ ...manifest, ...withVersions('dependencies'), ...withVersions('peerDependencies') },
    ...{ ...legacyEntries(manifest.exports), exports: withoutSources(manifest.exports) },
    ...(manifest.imports && { imports: withoutSources(manifest.imports) }),
  };
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

/** What resolvers without `exports` read: the main entry, and the types of the others. A program has no entries. */
function legacyEntries(exports: Exports) {
  const { '.': main, ...others } = exports;
  if (main === undefined) return {};
  if (typeof main !== 'object') throw new Error('the main entry must have conditions');
  const types = Object.entries(others).flatMap(([path, entry]) => {
    const file = typeof entry === 'object' && (entry.require?.types ?? entry.types);
    return file ? [[path.slice(2), [file]]] : [];
  });
  return {
    main: main.require?.default ?? main.default,
    types: main.require?.types ?? main.types,
    ...(types.length > 0 && {
      typesVersions: { '*': Object.fromEntries(types) },
    }),
  };
}

/** At every depth. */
function withoutSources(targets: object): object {
  const published = Object.entries(targets).filter(([condition]) => condition !== 'source');
  return Object.fromEntries(
    published.map(([name, target]) => [name, typeof target === 'string' ? target : withoutSources(target)]),
  );
}
