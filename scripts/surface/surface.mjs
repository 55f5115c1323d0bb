import { join, relative } from 'node:path';
import ts from 'typescript';
import { root } from '../bootstrap.mjs';
import { entriesOf } from './entries.mjs';

/** The exports of all entries of a package: `{ program, checker, entries: [{ name, key, file, exports }] }`. */
export function surfaceOf(packageFolder) {
  const entries = entriesOf(packageFolder);
  const program = ts.createProgram(
    entries.map((entry) => entry.file),
    compilerOptions(),
  );
  const checker = program.getTypeChecker();
  const withExports = entries.map((entry) => {
    const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(entry.file)));
    const rows = exported.map((symbol) => ({ name: symbol.name, symbol: declared(checker, symbol) }));
    return { ...entry, exports: rows.sort((a, b) => (a.name < b.name ? -1 : 1)) };
  });
  return { program, checker, entries: withExports };
}

/** The options of tsconfig.base.json, for declarations. */
export function compilerOptions(more = {}) {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.base.json'), ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson({ ...config.compilerOptions, ...more }, root);
  return { ...options, noEmit: false, declaration: true, emitDeclarationOnly: true, removeComments: false };
}

/** The symbol behind an import or a re-export. */
export function declared(checker, symbol) {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

/** Where a symbol is declared, when that is a source file of the repository. */
export function ownDeclarations(symbol) {
  return (symbol.declarations ?? []).filter((node) => {
    const path = relative(root, node.getSourceFile().fileName);
    return path.startsWith('packages/') && !path.includes('node_modules');
  });
}
