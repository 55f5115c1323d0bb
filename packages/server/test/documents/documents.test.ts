import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { parseSource } from '../support/sources.ts';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const documents = globSync(
  [
    '*.md',
    '{docs,bench,examples,operations}/*.md',
    'docs/{architecture,recipes,sdk}/*.md',
    '{packages,examples}/*/README.md',
  ],
  { cwd: root },
);
const MAX_WORDS_OF_PARAGRAPH = 100;

/**
 * Stands behind a statement: `<!-- shown by: path of a test file: name of the test -->`. When a file has the name twice, the
 * name of its group comes first: `group > test`.
 */
const marker = /<!--\s*shown by: (\S+): (.*?)\s*-->/gs;

describe('a statement with a marker', () => {
  it.each(documents)('has its test: %s', (path) => {
    expect(faultsOf(readFileSync(join(root, path), 'utf8'), readTest)).toEqual([]);
  });

  const example = `
    describe('one', () => { it('works', () => {}); it.skip('is skipped', () => {}); });
    describe.each(pairs)('two', () => { it.each([1])(\`works\`, () => {}); it('$n runs', () => {}); });
    describe.skip('three', () => { it('sleeps', () => {}); });`;
  const faultsBeside = (comment: string) =>
    faultsOf(`It works. ${comment}`, (path) => (path === 'a.test.ts' ? example : null));

  it.each(['one > works', 'two\n  > works', '$n runs'])('may name "%s"', (name) => {
    expect(faultsBeside(`<!-- shown by: a.test.ts: ${name} -->`)).toEqual([]);
  });

  it.each([
    ['b.test.ts', 'works', 0],
    ['a.test.ts', 'works not', 0],
    ['a.test.ts', 'runs', 0],
    ['a.test.ts', 'works', 2],
    ['a.test.ts', 'is skipped', 0],
    ['a.test.ts', 'sleeps', 0],
  ])('must not name in %s "%s"', (path, name, found) => {
    expect(faultsBeside(`<!-- shown by: ${path}: ${name} -->`)).toEqual([
      `${path} has ${found} tests "${name}", not one`,
    ]);
  });

  it('must not have another form', () => {
    expect(faultsBeside('<!-- shown by a.test.ts, works -->')).toEqual(['1 of 1 markers cannot be read']);
  });
});

describe('a link to another part of the documents', () => {
  it.each(documents)('leads to a file, and to a heading of it: %s', (path) => {
    expect(deadLinksOf(readText(path), path)).toEqual([]);
  });

  it('leads nowhere when the file or the heading has another name', () => {
    const links =
      '[a](b.md) [c](#what-is-not-here) [d](SECURITY.md#out-of-scope) [e](SECURITY.md#in-scope) [f](https://x.example/)';
    expect(deadLinksOf(links, 'README.md')).toEqual(['b.md', '#what-is-not-here', 'SECURITY.md#out-of-scope']);
  });
});

describe('a paragraph', () => {
  it.each(documents)(`has at most ${MAX_WORDS_OF_PARAGRAPH} words: %s`, (path) => {
    expect(longParagraphsOf(readText(path))).toEqual([]);
  });

  it('ends at an empty line, and where an item of a list begins; tables and comments do not count', () => {
    const words = (count: number) => `so${' so'.repeat(count - 1)}`;
    const text = (begin: string) =>
      `${words(60)}\n${begin}${words(60)} <!-- shown by: a.test.ts: a -->\n\n| ${words(101)} |`;
    expect([text('\n'), text('- '), text('')].map((one) => longParagraphsOf(one).length)).toEqual([0, 0, 1]);
  });
});

/** The beginnings of the paragraphs, and of the items of lists, that have too many words. */
function longParagraphsOf(text: string): string[] {
  return text
    .replaceAll(/<!--.*?-->/gs, '')
    .replaceAll(/^\|.*$/gm, '')
    .split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )|\n(?=#)/)
    .filter((paragraph) => paragraph.trim().split(/\s+/).length > MAX_WORDS_OF_PARAGRAPH)
    .map((paragraph) => paragraph.trim().slice(0, 60));
}

function deadLinksOf(text: string, path: string): string[] {
  const links = Array.from(text.matchAll(/\]\(([^)\s]+)\)/g), ([, link = '']) => link);
  return links.filter((link) => {
    if (/^[a-z]+:/.test(link)) return false;
    const [file = '', heading] = link.split('#');
    const target = file === '' ? path : join(dirname(path), file);
    if (!existsSync(join(root, target))) return true;
    return heading !== undefined && target.endsWith('.md') && !headingsOf(readText(target)).includes(heading);
  });
}

/** The names by which links find them. */
function headingsOf(text: string): string[] {
  return Array.from(text.matchAll(/^#+ (.*)$/gm), ([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** A document without its blocks of code. */
function readText(path: string): string {
  return readFileSync(join(root, path), 'utf8').replaceAll(/```.*?```/gs, '');
}

function readTest(path: string): string | null {
  const file = join(root, path);
  return path.endsWith('.test.ts') && existsSync(file) ? readFileSync(file, 'utf8') : null;
}

function faultsOf(text: string, read: (path: string) => string | null): string[] {
  const markers = [...text.matchAll(marker)];
  const begun = text.match(/<!--\s*shown by/g)?.length ?? 0;
  const wrong = markers.flatMap(([, path = '', written = '']) => {
    const name = written.replaceAll(/\s+/g, ' ');
    const found = namesIn(read(path) ?? '').filter((full) => ` > ${full}`.endsWith(` > ${name}`)).length;
    return found === 1 ? [] : [`${path} has ${found} tests "${name}", not one`];
  });
  return begun > markers.length ? [...wrong, `${begun - markers.length} of ${begun} markers cannot be read`] : wrong;
}

/** The names of the tests that run, each behind those of its groups. What a template makes is as written. */
function namesIn(text: string): string[] {
  return parseSource('', text).nodes.flatMap((node) => {
    if (titleOf(node, /^(it|test)\b/) === null) return [];
    const names: string[] = [];
    for (let outer = node; !ts.isSourceFile(outer); outer = outer.parent) {
      const name = titleOf(outer, /^(describe|it|test)\b/);
      if (name?.isSkipped) return [];
      if (name) names.unshift(name.title);
    }
    return [names.join(' > ')];
  });
}

/** The title of a call of one of these functions, or of what one of them returns. */
function titleOf(node: ts.Node, functions: RegExp): { readonly title: string; readonly isSkipped: boolean } | null {
  if (!ts.isCallExpression(node)) return null;
  const [title] = node.arguments;
  const [callee = ''] = node.expression.getText().split('(');
  if (!title || !functions.test(callee)) return null;
  const isSkipped = /\.(skip|todo)\b/.test(callee);
  if (ts.isStringLiteralLike(title)) return { title: title.text, isSkipped };
  return ts.isTemplateExpression(title) ? { title: title.getText().slice(1, -1), isSkipped } : null;
}
