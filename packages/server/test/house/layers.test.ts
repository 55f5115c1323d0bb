import { describe, expect, it } from 'vitest';
import { circles, readSources } from '../support/sources.ts';

/** The wings of `src`, from the ground up. A wing imports only wings that stand before it, types included. */
const wings = [
  'core',
  'pki',
  'documents',
  'storage',
  'network',
  'audit',
  'crud',
  'credentials',
  'sessions',
  'access',
  'entities',
  'sign-in',
  'operate',
  'http',
  'routers',
];
const MAX_FILES_OF_ROOT = 7;

const strategyFolders = ['authentication/methods', 'authentication/queries', 'enrollment/methods'].map(
  (folder) => `sign-in/${folder}`,
);
/** What the entities share. */
const ofAllEntities = ['check-configs', 'index', 'dependencies'];

const serverRoot = 'packages/server/src/';
const files = new Map(
  readSources(serverRoot)
    .filter(({ path }) => !/\.(test|contract)\.ts$/.test(path))
    .map(({ path, imports }) => [path.slice(serverRoot.length), imports.flatMap(({ file }) => inside(file))]),
);

describe('wings of the server, types included', () => {
  it.each(wings)('%s imports only wings below it', (wing) => {
    const below = wings.slice(0, wings.indexOf(wing) + 1);
    const wrong = [...files]
      .filter(([path]) => path.startsWith(`${wing}/`))
      .flatMap(([path, imports]) => imports.map((to) => ({ path, to })))
      .filter(({ to }) => !below.some((name) => to.startsWith(`${name}/`)));
    expect(wrong.map(({ path, to }) => `${path} imports ${to}`)).toEqual([]);
  });

  it.each(wings)('no imports run in a circle between the folders of %s', (wing) => {
    const rooms = new Map<string, string[]>();
    for (const [path, imports] of files) {
      if (path.startsWith(`${wing}/`)) rooms.set(roomOf(path), [...(rooms.get(roomOf(path)) ?? []), ...imports]);
    }
    const graph = [...rooms].map(([room, imports]): [string, string[]] => [
      room,
      [...new Set(imports.map(roomOf))].filter((to) => to !== room && rooms.has(to)),
    ]);
    expect(circles(new Map(graph))).toEqual([]);
  });

  it(`every file belongs to a wing, but ${MAX_FILES_OF_ROOT} that compose the controller`, () => {
    const others = [...files.keys()].filter((path) => !wings.some((wing) => path.startsWith(`${wing}/`)));
    expect(others.filter((path) => path.includes('/'))).toEqual([]);
    expect(others.length).toBeLessThanOrEqual(MAX_FILES_OF_ROOT);
  });

  it('no imports run in a circle between files', () => {
    expect(circles(files)).toEqual([]);
  });

  it('an entity never imports a sibling entity', () => {
    expect(importsBetweenParts('entities', ofAllEntities)).toEqual([]);
  });

  it.each(strategyFolders)('a strategy of %s never imports a strategy', (folder) => {
    const parts = [...files.keys()].filter((path) => path.startsWith(`${folder}/`));
    expect(parts).not.toEqual([]);
    expect(importsBetweenParts(folder, ['index'])).toEqual([]);
  });
});

/** The folder of a wing that a file is in, or the file itself. */
function roomOf(path: string): string {
  return path.split('/').slice(0, 2).join('/');
}

function partName(path: string): string {
  return path.split('/')[0]!.replace(/\.ts$/, '');
}

/** The file, if it is one of the server. */
function inside(file: string | null): string[] {
  return file?.startsWith(serverRoot) ? [file.slice(serverRoot.length)] : [];
}

/** The imports between parts of a folder. A part is a file or a folder in it; all parts may import those that are `shared`. */
function importsBetweenParts(folder: string, shared: readonly string[]): string[] {
  const partOf = (path: string) => (path.startsWith(`${folder}/`) ? partName(path.slice(folder.length + 1)) : null);
  return [...files].flatMap(([path, imports]) => {
    const from = partOf(path);
    if (from === null || shared.includes(from)) return [];
    return imports
      .filter((file) => ![null, from, ...shared].includes(partOf(file)))
      .map((file) => `${path} imports ${file}`);
  });
}
