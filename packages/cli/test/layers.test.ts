import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import type { Source } from '../../server/test/support/sources.ts';
import { circles, parseSource, readSources } from '../../server/test/support/sources.ts';
import { createEdge } from './support/edge.ts';

/** Folder (or file) of `src` → what it may import, types included. A folder stands above all that it imports. */
const layers: Record<string, readonly string[]> = {
  lib: [],
  errors: ['lib'],
  output: ['lib', 'errors'],
  api: ['lib', 'errors'],
  profiles: ['lib', 'errors'],
  input: ['lib', 'errors', 'api'],
  apply: ['lib', 'errors', 'output', 'api', 'input'],
  commands: ['lib', 'errors', 'output', 'api', 'profiles', 'input', 'apply'],
  completion: ['output', 'api', 'profiles', 'input', 'commands'],
  main: ['errors', 'output', 'profiles', 'commands', 'completion'],
  bin: ['main'],
};

const src = 'packages/cli/src/';
const files = readSources('packages/cli/src');
const folderOf = (path: string) => path.slice(src.length).replace(/(\/.*|\.ts)$/, '');
const importsOf = (folder: string) => [
  ...new Set(
    files
      .filter(({ path }) => folderOf(path) === folder)
      .flatMap(({ imports }) => imports.flatMap(({ file }) => (file?.startsWith(src) ? [folderOf(file)] : [])))
      .filter((name) => name !== folder),
  ),
];

describe('layers of the command line, types included', () => {
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

/** These write to the terminal: through `printable`, or nothing of others. */
const writers = ['bin.ts', 'input/prompts.ts', 'output/progress.ts', 'output/terminal.ts'].map((name) => src + name);

describe('what is shown', () => {
  const writes = ({ nodes }: Pick<Source, 'nodes'>) =>
    nodes.some((node) => ts.isIdentifier(node) && /^(stdout|stderr|console|writeSync|WriteStream)$/.test(node.text));

  it('is written in few places, so that nothing gets past the function that makes it harmless', () => {
    expect(files.filter(writes).map(({ path }) => path)).toEqual(writers);
  });

  it.each([
    'process.stdout.write(name)',
    'const { stderr } = process; stderr.write(name)',
    'console.log(name)',
    'writeSync(1, name)',
  ])('cannot be written elsewhere: %s', (text) => {
    expect(writes(parseSource('a.ts', text))).toBe(true);
  });
});

describe('what loads at once', () => {
  it.each([
    [['--version'], []],
    [['--help'], ['commander']],
    [['identities', 'create', '--help'], ['commander']],
  ])('edge %s loads the packages %j', async (args, packages) => {
    const preload = new URL('../../server/test/support/loaded-modules.mjs', import.meta.url).href;
    const { stdout } = await createEdge().run(args, { env: { NODE_OPTIONS: `--import ${preload}` } });
    const [, report = '{}'] = /^loaded (.*)$/m.exec(stdout) ?? [];
    expect(JSON.parse(report).packages).toEqual(packages);
  });
});
