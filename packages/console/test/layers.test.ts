import { describe, expect, it } from 'vitest';
import { circles, readSources } from '../../server/test/support/sources.ts';

/** Folder (or file) of `src` → what it may import, types included. A folder stands above all that it imports. */
const layers: Record<string, readonly string[]> = {
  session: [],
  api: ['session'],
  ui: ['api'],
  live: ['ui'],
  totp: ['api', 'ui'],
  shell: ['api', 'ui'],
  'sign-in': ['session', 'api', 'ui', 'totp'],
  panels: ['session', 'api', 'ui'],
  entities: ['session', 'api', 'ui', 'shell', 'panels'],
  operations: ['api', 'ui', 'shell', 'entities'],
  pages: ['session', 'api', 'ui', 'live', 'totp', 'entities'],
  routes: ['shell', 'entities', 'operations', 'pages'],
  main: ['session', 'api', 'shell', 'sign-in', 'routes'],
};

const src = 'packages/console/src/';
const files = readSources('packages/console/src');
const folderOf = (path: string) => path.slice(src.length).replace(/(\/.*|\.tsx?)$/, '');
const isSource = (file: string | null) => file?.startsWith(src) === true && /\.tsx?$/.test(file);
const importsOf = (folder: string) => [
  ...new Set(
    files
      .filter(({ path }) => folderOf(path) === folder)
      .flatMap(({ imports }) => imports.flatMap(({ file }) => (file && isSource(file) ? [folderOf(file)] : [])))
      .filter((name) => name !== folder),
  ),
];

describe('layers of the console, types included', () => {
  it.each(Object.entries(layers))('%s imports what it may import, and nothing else', (folder, allowed) => {
    expect(importsOf(folder).toSorted()).toEqual(allowed.toSorted());
  });

  it('every file belongs to a layer', () => {
    expect(files.map(({ path }) => folderOf(path)).filter((folder) => !(folder in layers))).toEqual([]);
  });

  it('no imports run in a circle', () => {
    const graph = files.map(({ path, imports }) => [path, imports.flatMap(({ file }) => file ?? [])] as const);
    expect(circles(new Map(graph))).toEqual([]);
    expect(circles(new Map(Object.keys(layers).map((folder) => [folder, importsOf(folder)])))).toEqual([]);
  });
});
