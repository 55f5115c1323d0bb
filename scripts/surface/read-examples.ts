import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import ts from 'typescript';
import { root } from '../bootstrap.mjs';

/** The code of an example, and where it stands. */
export interface Example {
  readonly file: string;
  readonly line: number;
  readonly code: string;
}

/** The `@example` blocks of the docstrings of a source file. */
export function docstringExamples(file: string): Example[] {
  const text = readFileSync(file, 'utf8');
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const examples = new Map<number, Example>();
  const visit = (node: ts.Node) => {
    for (const tag of ts.getJSDocTags(node).filter(isExample)) examples.set(tag.pos, exampleOf(source, tag));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return [...examples.values()];
}

export const isExample = (tag: ts.JSDocTag) => tag.tagName.text === 'example';

function exampleOf(source: ts.SourceFile, tag: ts.JSDocTag): Example {
  const raw = source.text.slice(tag.tagName.end, tag.end);
  const lines = raw.split('\n').map((line, at) => (at === 0 ? line : line.replace(/^\s*\*? ?/, '')));
  const { line } = source.getLineAndCharacterOfPosition(tag.tagName.end);
  const blocks = fences(lines.join('\n'));
  const code =
    blocks.length > 0 ? blocks.map((block) => block.code).join('\n') : lines.join('\n').replace(/\*\/\s*$/, '');
  return { file: relative(root, source.fileName), line: line + 1 + (blocks[0]?.line ?? 0), code: code.trimEnd() };
}

/** The code blocks of a Markdown file. A block with an import stands for itself. */
export function markdownExamples(file: string): Example[] {
  return fences(readFileSync(file, 'utf8')).map(({ line, code }) => ({
    file: relative(root, file),
    line: line + 1,
    code,
  }));
}

function fences(text: string) {
  const blocks = [...text.matchAll(/^```(?:ts|tsx|js|jsx)\n([\s\S]*?)^```/gm)];
  return blocks.map((block) => ({ line: text.slice(0, block.index).split('\n').length, code: block[1] ?? '' }));
}
