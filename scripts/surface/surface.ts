import { join, relative } from 'node:path';
import ts from 'typescript';
import { root } from '../bootstrap.mjs';
import type { Entry } from './entries.ts';
import { entriesOf } from './entries.ts';

export interface Export {
  readonly name: string;
  readonly symbol: ts.Symbol;
}

export interface EntryWithExports extends Entry {
  readonly exports: readonly Export[];
}

/** The exports of all entries of a package. */
export interface Surface {
  readonly program: ts.Program;
  readonly checker: ts.TypeChecker;
  readonly entries: readonly EntryWithExports[];
}

/** Packages that become a part of one that is published. The compiler prints no declarations of what it finds in node_modules alone. */
const unpublished = ['certificate-path', 'router-double'].map((name) => join(root, 'packages', name, 'src/index.ts'));

export function surfaceOf(packageFolder: string): Surface {
  const entries = entriesOf(packageFolder);
  const files = [...entries.map((entry) => entry.file), ...unpublished];
  const program = ts.createProgram(files, compilerOptions());
  const checker = program.getTypeChecker();
  const withExports = entries.map((entry) => {
    const source = program.getSourceFile(entry.file);
    const module = source && checker.getSymbolAtLocation(source);
    if (!module) throw new Error(`${entry.file} is no module`);
    const exported = checker.getExportsOfModule(module);
    const rows = exported.map((symbol) => ({ name: symbol.name, symbol: declared(checker, symbol) }));
    return { ...entry, exports: rows.sort((a, b) => (a.name < b.name ? -1 : 1)) };
  });
  return { program, checker, entries: withExports };
}

/** The options of tsconfig.base.json, for declarations. */
export function compilerOptions(more: Readonly<Record<string, unknown>> = {}): ts.CompilerOptions {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.base.json'), ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson({ ...config.compilerOptions, ...more }, root);
  return { ...options, noEmit: false, declaration: true, emitDeclarationOnly: true, removeComments: false };
}

/** The symbol behind an import or a re-export. */
export function declared(checker: ts.TypeChecker, symbol: ts.Symbol) {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

/** Where a symbol is declared, when that is a source file of the repository. */
export function ownDeclarations(symbol: ts.Symbol) {
  return (symbol.declarations ?? []).filter((node) => {
    const path = relative(root, node.getSourceFile().fileName);
    return path.startsWith('packages/') && !path.includes('node_modules');
  });
}

/** The name that a statement declares: of a function, a class, a type or a module. A variable has another form. */
export function declaredName(statement: ts.Statement): string[] {
  const isNamed =
    ts.isFunctionDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement) ||
    ts.isEnumDeclaration(statement) ||
    ts.isModuleDeclaration(statement);
  return isNamed && statement.name ? [statement.name.text] : [];
}
