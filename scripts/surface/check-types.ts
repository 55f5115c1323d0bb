import { join } from 'node:path';
import ts from 'typescript';
import { root } from '../bootstrap.mjs';
import type { Example } from './read-examples.ts';
import { compilerOptions, declaredName } from './surface.ts';

const namesFolder = join(root, 'packages/sdk/test/example-names');

// What a strict application has. Stricter options are a matter of the reader.
const options = {
  ...compilerOptions({ lib: ['es2024', 'esnext', 'dom', 'dom.iterable'], jsx: 'react-jsx' }),
  ...{ noUncheckedIndexedAccess: false, exactOptionalPropertyTypes: false, noImplicitReturns: false },
  ...{ noUnusedLocals: false, noUnusedParameters: false, verbatimModuleSyntax: false, isolatedModules: false },
  ...{ noEmit: true, emitDeclarationOnly: false, declaration: false },
  // Only one example uses it.
  paths: { '@playwright/test': [join(root, 'examples/testing/node_modules/@playwright/test/index.d.ts')] },
};

export interface ScopedExample extends Example {
  /** Where it could be a file. */
  readonly folder: string;
  /** Of the sources. */
  readonly part?: string | undefined;
  /** The module that exports each name. */
  readonly scope: ReadonlyMap<string, string>;
}

/**
 * Checks the types of examples in one program, each as a module. An example sees the exports of `scope`, which maps a name
 * to the module that exports it, unless it has imports of its own; and the names that `example-names` declares, for all
 * examples and for those of one `part` of the sources. Returns one line for each error.
 */
export function checkTypes(examples: readonly ScopedExample[]): string[] {
  const virtual = new Map<string, ScopedExample>();
  for (const [at, example] of examples.entries()) {
    const extension = /<\/|\/>/.test(example.code) ? 'tsx' : 'ts';
    virtual.set(join(root, example.folder, `example-${at}.${extension}`), example);
  }
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  const namesOf = namesReader();
  const texts = new Map([...virtual].map(([file, example]) => [file, moduleText(example, namesOf(example.part))]));
  host.fileExists = (file) => texts.has(file) || fileExists(file);
  host.readFile = (file) => texts.get(file) ?? readFile(file);
  host.getSourceFile = (file, languageVersion, ...more) => {
    const text = texts.get(file);
    return text === undefined
      ? getSourceFile(file, languageVersion, ...more)
      : ts.createSourceFile(file, text, languageVersion, true);
  };
  const program = ts.createProgram([...texts.keys()], options, host);
  return [...virtual].flatMap(([file, example]) => {
    const source = program.getSourceFile(file);
    if (!source) throw new Error(`${file} is not in the program`);
    const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    return found.map((diagnostic) => message(example, source, diagnostic));
  });
}

/** The imports stand on the first line, so that the lines of the code follow. */
function moduleText({ code, part, scope }: ScopedExample, names: ReadonlyMap<string, string>) {
  const source = ts.createSourceFile('example.tsx', code, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  const declared = new Set(source.statements.flatMap(declaredNames));
  const used = new Set<string>();
  const visit = (node: ts.Node) => {
    if (ts.isIdentifier(node)) used.add(node.text);
    ts.forEachChild(node, visit);
  };
  visit(source);
  const importsItself = source.statements.some(ts.isImportDeclaration);
  const imports = [...used].flatMap((name) => {
    if (declared.has(name)) return [];
    const from = importsItself ? undefined : scope.get(name);
    if (from) return [`import { ${name} } from '${from}';`];
    return names.has(name) ? [`import { ${name} } from '${names.get(name)}';`] : [];
  });
  // JSX has the types of one framework.
  const jsx = /sdk\/solid'/.test(code) || part === 'solid' ? '/** @jsxImportSource solid-js */ ' : '';
  return `${jsx}${imports.join(' ')} export {};\n${code}`;
}

/** The names that a statement declares in its module. Names inside of functions may hide an import. */
function declaredNames(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement)) return statement.declarationList.declarations.flatMap(boundNames);
  if (!ts.isImportDeclaration(statement)) return declaredName(statement);
  const { name, namedBindings } = statement.importClause ?? {};
  const named = namedBindings && (ts.isNamedImports(namedBindings) ? namedBindings.elements : [namedBindings]);
  return [name?.text ?? [], ...(named ?? []).map((one) => one.name.text)].flat();
}

const boundNames = ({ name }: { readonly name: ts.BindingName }): string[] =>
  ts.isIdentifier(name)
    ? [name.text]
    : name.elements.flatMap((one) => (ts.isBindingElement(one) ? boundNames(one) : []));

/** Reads which module of `example-names` declares a name, for each part of the sources. */
function namesReader() {
  const read = (part: string): [string, string][] => {
    const file = join(namesFolder, `${part}.d.ts`);
    const text = ts.sys.readFile(file) ?? '';
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
    return exportedNames(source).map((name) => [name, join(namesFolder, `${part}.js`)]);
  };
  const shared = read('index');
  return (part?: string) => new Map([...shared, ...(part === undefined ? [] : read(part))]);
}

function exportedNames({ statements }: ts.SourceFile): string[] {
  return statements.flatMap((statement) => {
    if (ts.isVariableStatement(statement)) return statement.declarationList.declarations.flatMap(boundNames);
    if (!ts.isExportDeclaration(statement)) return declaredName(statement);
    const { exportClause } = statement;
    return exportClause && ts.isNamedExports(exportClause) ? exportClause.elements.map(({ name }) => name.text) : [];
  });
}

function message({ file, line }: Example, source: ts.SourceFile, { start = 0, messageText }: ts.Diagnostic) {
  const at = source.getLineAndCharacterOfPosition(start).line;
  return `${file}:${line + Math.max(at - 1, 0)} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
}
