import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

export interface Import {
  /** As written. */
  readonly specifier: string;
  /** Path in the repository of a relative import, else `null`. */
  readonly file: string | null;
  /** `type`: it is gone when the program runs. */
  readonly kind: 'value' | 'type';
}

/** A file of TypeScript. */
export interface Source {
  /** Path in the repository. */
  readonly path: string;
  readonly lines: number;
  readonly isGenerated: boolean;
  readonly imports: readonly Import[];
  readonly nodes: readonly ts.Node[];
  /** The number of the line that a node begins in, and how many lines it has. */
  readonly linesOf: (node: ts.Node) => { readonly at: number; readonly count: number };
}

const root = fileURLToPath(new URL('../../../..', import.meta.url));

/** Reads all files of a folder of the repository, those in its folders too. What is installed or built is left out. */
export function readSources(folder: string): Source[] {
  return listFiles(folder)
    .filter((path) => /\.(tsx?|mjs)$/.test(path))
    .map((path) => readSource(path));
}

/** The circles of a graph, as text. */
export function circles(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (node: string, trail: readonly string[]) => {
    const start = trail.indexOf(node);
    if (start >= 0) found.push([...trail.slice(start), node].join(' → '));
    if (start >= 0 || done.has(node)) return;
    for (const next of graph.get(node) ?? []) visit(next, [...trail, node]);
    done.add(node);
  };
  for (const node of graph.keys()) visit(node, []);
  return found;
}

/** What is installed, generated or built by a tool. */
const isLeftOut = (name: string) => /^(node_modules|dist|build|\..*)$/.test(name);

function listFiles(folder: string): string[] {
  // A package without tests has no such folder.
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return isLeftOut(entry.name) ? [] : listFiles(path);
    return entry.isFile() ? [path] : [];
  });
}

function readSource(path: string): Source {
  return parseSource(path, readFileSync(join(root, path), 'utf8'));
}

/** A file of TypeScript from its text. */
export function parseSource(path: string, text: string): Source {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const nodes: ts.Node[] = [];
  const visit = (node: ts.Node) => {
    nodes.push(node);
    ts.forEachChild(node, visit);
  };
  visit(file);
  const lineAt = (position: number) => file.getLineAndCharacterOfPosition(position).line + 1;
  return {
    path,
    lines: text.split('\n').length - 1,
    isGenerated: /^\/[/*].*generated/i.test(text),
    imports: nodes.flatMap((node) => importedBy(node, path) ?? []),
    nodes,
    linesOf(node) {
      const at = lineAt(node.getStart());
      return { at, count: 1 + lineAt(node.end) - at };
    },
  };
}

/** What an import, a re-export, `import()` or `require()` names; `null` for anything else. */
function importedBy(node: ts.Node, path: string): Import | null {
  const named = (name: ts.Node | undefined, kind: Import['kind']): Import | null => {
    if (name === undefined || !ts.isStringLiteralLike(name)) return null;
    const file = name.text.startsWith('.') ? join(dirname(path), name.text) : null;
    return { specifier: name.text, file, kind };
  };
  if (ts.isImportDeclaration(node)) {
    const isType = node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
    return named(node.moduleSpecifier, isType ? 'type' : 'value');
  }
  if (ts.isExportDeclaration(node)) return named(node.moduleSpecifier, node.isTypeOnly ? 'type' : 'value');
  if (ts.isImportTypeNode(node))
    return named(ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined, 'type');
  if (!ts.isCallExpression(node)) return null;
  const isImport = node.expression.kind === ts.SyntaxKind.ImportKeyword || isRequire(node.expression);
  return isImport ? named(node.arguments[0], 'value') : null;
}

function isRequire(expression: ts.Expression): boolean {
  return ['require', 'createRequire(import.meta.url)'].includes(expression.getText());
}
