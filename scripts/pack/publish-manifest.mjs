import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/**
 * The package.json of a package as it is published: with versions for `workspace:` and `catalog:`, without the sources and
 * without what only this repository needs. `folder` is two levels below the root of the workspace.
 */
export function publishManifest(folder) {
  const { scripts: _scripts, devDependencies: _devDependencies, ...manifest } = readManifest(folder);
  const { catalog } = parse(readFileSync(join(folder, '../../pnpm-workspace.yaml'), 'utf8'));
  const versionOf = ([name, range]) => {
    if (range === 'catalog:') return [name, /^\d/.test(catalog[name]) ? `^${catalog[name]}` : catalog[name]];
    if (range.startsWith('workspace:')) return [name, readManifest(join(folder, '..', name.split('/')[1])).version];
    return [name, range];
  };
  for (const member of ['dependencies', 'peerDependencies']) {
    if (manifest[member]) manifest[member] = Object.fromEntries(Object.entries(manifest[member]).map(versionOf));
  }
  return { ...manifest, ...legacyEntries(manifest.exports), exports: withoutSources(manifest.exports) };
}

function readManifest(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

/** What resolvers without `exports` read: the main entry, and the types of the others. */
function legacyEntries(exports) {
  const { '.': main, ...others } = exports;
  if (main.require === undefined) return { main: main.default, types: main.types };
  const types = Object.entries(others).filter(([, entry]) => entry.require);
  return {
    main: main.require.default,
    types: main.require.types,
    ...(types.length > 0 && {
      typesVersions: { '*': Object.fromEntries(types.map(([path, entry]) => [path.slice(2), [entry.require.types]])) },
    }),
  };
}

function withoutSources(exports) {
  return Object.fromEntries(Object.entries(exports).map(([path, entry]) => [path, withoutSource(entry)]));
}

function withoutSource(entry) {
  if (typeof entry === 'string') return entry;
  const { source: _source, ...published } = entry;
  return published;
}
