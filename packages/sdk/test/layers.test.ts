import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { circles } from '../../server/test/support/sources.ts';

/** Folder (or file) of `src` → what it may import, types included. A folder stands above all that it imports. */
const layers: Record<string, readonly string[]> = {
  api: [],
  lib: [],
  errors: ['api'],
  calls: ['api'],
  storage: ['api', 'lib'],
  requests: ['api', 'lib', 'errors', 'calls'],
  'external-jwt': ['api', 'lib', 'errors', 'calls'],
  session: ['api', 'lib', 'errors', 'calls', 'requests', 'external-jwt'],
  posture: ['api', 'lib', 'errors'],
  services: ['api', 'lib', 'errors', 'requests', 'posture'],
  'sign-in': ['api', 'lib', 'errors', 'calls', 'requests', 'external-jwt'],
  enrollment: ['api', 'lib', 'errors', 'requests'],
  'edge-routers': ['api', 'lib', 'errors', 'external-jwt', 'services', 'enrollment'],
  chunks: ['errors', 'requests', 'external-jwt', 'session', 'posture', 'services', 'sign-in', 'enrollment'],
  client: ['api', 'lib', 'errors', 'calls', 'storage', 'requests', 'session', 'services', 'chunks'],
  index: ['client'],
  single: ['client', 'chunks'],
  node: ['api', 'lib', 'errors', 'calls', 'requests', 'enrollment', 'edge-routers', 'client'],
  backend: ['api', 'lib', 'errors', 'calls', 'requests', 'session', 'client', 'node', 'chunks'],
  oidc: ['api', 'lib', 'errors', 'storage', 'external-jwt'],
  bindings: ['api', 'client'],
  react: ['api', 'client', 'bindings'],
  vue: ['api', 'client', 'bindings'],
  svelte: ['api', 'client', 'bindings'],
  solid: ['api', 'client', 'bindings'],
  qr: [],
  testing: ['api', 'lib', 'errors', 'node'],
};
const MAX_FLOORS = 8;
const MAX_LINES = 60;

/** The files with an `import()`: a page loads the two chunks; the others run in Node alone, or in tests. */
const loaders: Record<string, readonly string[]> = {
  'chunks/load.ts': ['chunks/session.ts', 'chunks/rest.ts'],
  'node/service-connections.ts': ['edge-routers/edge-routers.ts'],
};

type Kind = 'type' | 'value' | 'import()';
interface Import {
  readonly file: string;
  readonly kind: Kind;
}

const src = fileURLToPath(new URL('../src/', import.meta.url));
const files = new Map(listFiles().map((path) => [path, importsOf(path)]));
const folders = new Map(Object.keys(layers).map((folder) => [folder, importsOfFolder(folder)]));

describe('layers of the SDK, types included', () => {
  it.each(Object.keys(layers))('%s imports only the folders below it', (folder) => {
    const wrong = importsBetween(folder)
      .filter(([, to]) => !layers[folder]!.includes(folderOf(to)))
      .map(([from, to]) => `${from} imports ${to}: ${folder} may import ${JSON.stringify(layers[folder])}`);
    expect(wrong).toEqual([]);
  });

  it.each(Object.keys(layers))('%s imports each folder that it may import', (folder) => {
    expect(layers[folder]!.filter((name) => !folders.get(folder)!.includes(name))).toEqual([]);
  });

  it('every file belongs to a layer', () => {
    expect([...files.keys()].filter((path) => !(folderOf(path) in layers))).toEqual([]);
  });

  it('no imports run in a circle between folders', () => {
    expect(circles(folders)).toEqual([]);
  });

  it('no imports run in a circle between files', () => {
    const graph = new Map([...files].map(([path, imports]) => [path, imports.map(({ file }) => file)]));
    expect(circles(graph)).toEqual([]);
  });

  it(`there are at most ${MAX_FLOORS} floors`, () => {
    const tooHigh = [...folders.keys()].filter((folder) => floorOf(folder) > MAX_FLOORS);
    expect(tooHigh.map((folder) => `${folder} stands on floor ${floorOf(folder)}`)).toEqual([]);
  });

  it('`api` has no code', () => {
    const isGenerated = (path: string) => path.startsWith('api/generated/');
    const code = [...files.keys()].filter((path) => path.startsWith('api/') && !isGenerated(path)).filter(hasCode);
    expect(code).toEqual([]);
  });
});

describe('a page loads a client in three files', () => {
  it('`import()` is in the files of this list alone', () => {
    const found = [...files.keys()].flatMap((path): [string, string[]][] => {
      const loaded = importsFrom(path, 'import()');
      return loaded.length > 0 ? [[path, loaded]] : [];
    });
    expect(Object.fromEntries(found)).toEqual(loaders);
  });

  it.each([
    ['index.ts', 'chunks/session.ts'],
    ['index.ts', 'chunks/rest.ts'],
    ['chunks/session.ts', 'chunks/rest.ts'],
  ])('%s needs nothing that %s exports', (first, chunk) => {
    expect(importsFrom(chunk, 'value').filter((path) => loadedWith(first).includes(path))).toEqual([]);
  });

  it('what the first file shares with the rest, it shares with the session, too: a bundler makes one file of it', () => {
    const first = new Set(loadedWith('index.ts'));
    const session = new Set(loadedWith('chunks/session.ts'));
    expect(loadedWith('chunks/rest.ts').filter((path) => first.has(path) && !session.has(path))).toEqual([]);
  });
});

it(`no function of the SDK has more than ${MAX_LINES} lines`, () => {
  expect([...files.keys()].flatMap(longFunctions)).toEqual([]);
});

function folderOf(path: string): string {
  return path.split('/')[0]!.replace(/\.ts$/, '');
}

/** The imports of a folder that leave it: from, to. */
function importsBetween(folder: string): [from: string, to: string][] {
  return [...files]
    .filter(([path]) => folderOf(path) === folder)
    .flatMap(([path, imports]) => imports.map(({ file }): [string, string] => [path, file]))
    .filter(([, to]) => folderOf(to) !== folder);
}

function importsOfFolder(folder: string): string[] {
  return [...new Set(importsBetween(folder).map(([, to]) => folderOf(to)))];
}

function importsFrom(path: string, kind: Kind): string[] {
  return (files.get(path) ?? []).filter((one) => one.kind === kind).map(({ file }) => file);
}

/** The files that a page gets together with this one. */
function loadedWith(entry: string): string[] {
  const loaded = new Set([entry]);
  for (const path of loaded) for (const file of importsFrom(path, 'value')) loaded.add(file);
  return [...loaded];
}

function floorOf(folder: string, above: readonly string[] = []): number {
  // A circle has a test of its own.
  if (above.includes(folder)) return 0;
  return 1 + Math.max(0, ...(folders.get(folder) ?? []).map((name) => floorOf(name, [...above, folder])));
}

function listFiles(): string[] {
  return readdirSync(src, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !entry.name.includes('.test.'))
    .map((entry) => relative(src, join(entry.parentPath, entry.name)));
}

function parse(path: string): ts.SourceFile {
  return ts.createSourceFile(path, readFileSync(join(src, path), 'utf8'), ts.ScriptTarget.Latest, true);
}

function importsOf(path: string): Import[] {
  const found: Import[] = [];
  const add = (name: ts.Node | undefined, kind: Kind) => {
    if (!name || !ts.isStringLiteralLike(name) || !name.text.startsWith('.')) return;
    found.push({ file: join(dirname(path), name.text), kind });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) {
      add(node.moduleSpecifier, node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword ? 'type' : 'value');
    }
    if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, node.isTypeOnly ? 'type' : 'value');
    if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) add(node.argument.literal, 'type');
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      add(node.arguments[0], 'import()');
    }
    ts.forEachChild(node, visit);
  };
  visit(parse(path));
  return found;
}

function hasCode(path: string): boolean {
  return parse(path).statements.some(
    (one) => !ts.isInterfaceDeclaration(one) && !ts.isTypeAliasDeclaration(one) && !ts.isImportDeclaration(one),
  );
}

function longFunctions(path: string): string[] {
  const found: string[] = [];
  const source = parse(path);
  const lineAt = (position: number) => source.getLineAndCharacterOfPosition(position).line;
  const visit = (node: ts.Node): void => {
    const lines = 1 + lineAt(node.end) - lineAt(node.getStart());
    if (ts.isFunctionLike(node) && lines > MAX_LINES)
      found.push(`${path}:${lineAt(node.getStart()) + 1}: ${lines} lines`);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}
