import { relative } from 'node:path';
import ts from 'typescript';
import { root } from '../bootstrap.mjs';
import { isExample } from './read-examples.ts';
import type { Surface } from './surface.ts';
import { ownDeclarations } from './surface.ts';

/**
 * The exports that do not say enough. Functions, classes, constants, options and interfaces with methods need an
 * `@example`, which may be that of a member. A type that only describes data needs a docstring.
 */
export function missingExamples({ checker, entries }: Surface) {
  const seen = new Set<ts.Symbol>();
  return entries.flatMap((entry) =>
    entry.exports.flatMap(({ name, symbol }) => {
      const [node] = ownDeclarations(symbol);
      if (!node || seen.has(symbol)) return [];
      seen.add(symbol);
      const lack = lackOf(checker, name, symbol);
      const { line } = ts.getLineAndCharacterOfPosition(node.getSourceFile(), node.getStart());
      return lack ? [`${relative(root, node.getSourceFile().fileName)}:${line + 1} ${name} needs ${lack}`] : [];
    }),
  );
}

function lackOf(checker: ts.TypeChecker, name: string, symbol: ts.Symbol) {
  if (symbol.getDocumentationComment(checker).length === 0) return 'a docstring';
  if (!needsExample(name, symbol)) return undefined;
  return ownDeclarations(symbol).some(hasExample) ? undefined : 'an @example';
}

function needsExample(name: string, symbol: ts.Symbol) {
  if (symbol.flags & (ts.SymbolFlags.Value & ~ts.SymbolFlags.ValueModule)) return true;
  const isGenerated = ownDeclarations(symbol).some((node) => node.getSourceFile().fileName.includes('/generated/'));
  if (isGenerated) return false;
  return (
    name.endsWith('Options') ||
    ownDeclarations(symbol).some((node) => ts.isInterfaceDeclaration(node) && node.members.some(isMethod))
  );
}

const isMethod = (member: ts.TypeElement) =>
  ts.isMethodSignature(member) ||
  (ts.isPropertySignature(member) && member.type !== undefined && ts.isFunctionTypeNode(member.type));

function hasExample(node: ts.Declaration) {
  const hasMembers = ts.isInterfaceDeclaration(node) || ts.isClassLike(node) || ts.isEnumDeclaration(node);
  const nodes: ts.Node[] = [node, ...(hasMembers ? node.members : [])];
  return nodes.some((one) => ts.getJSDocTags(one).some(isExample));
}
