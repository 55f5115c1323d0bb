import { globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const words = (path: string) => read(path).split(/\s+/).filter(Boolean).length;

describe('README.md', () => {
  const [firstScreen = ''] = read('README.md').split('\n## Start\n');
  const bullets = firstScreen.split('\n').filter((line) => line.startsWith('- '));

  it('says in one line what this is', () => {
    expect(firstScreen.split('\n')[2]).toBe(
      'An OpenZiti-compatible edge controller in TypeScript, with the SDK, the command line and the console.',
    );
  });

  it('says why in at most five points, each with the command or the page that shows it', () => {
    const points = firstScreen.slice(0, firstScreen.indexOf('\n![')).split(/^- /m).slice(1);
    expect(bullets.length).toBeLessThanOrEqual(5);
    expect(points.filter((point) => !/`npm run |\]\(/.test(point))).toEqual([]);
  });

  it('shows the console and a drawing, both small, before the start', () => {
    const pictures = Array.from(firstScreen.matchAll(/!\[.+\]\((.+)\)/g), ([, file = '']) => file);
    expect(pictures).toEqual(['docs/pictures/network.svg', 'docs/pictures/console-stuck.png']);
    expect(pictures.filter((file) => read(file).length > 200_000)).toEqual([]);
  });

  it('is short, and so are the first pages beside it', () => {
    expect(read('README.md').split('\n').length).toBeLessThanOrEqual(120);
    expect(read('packages/sdk/README.md').split('\n').length).toBeLessThanOrEqual(250);
    expect(words('CONTRIBUTING.md')).toBeLessThanOrEqual(1_200);
  });
});

describe('what others run', () => {
  it('the workflow has every command of .ci/run', () => {
    const commands = Array.from(
      read('.ci/run').matchAll(/^npm (?:run --silent )?(.*?)(?: \|\|.*)?$/gm),
      ([, name = '']) => name,
    );
    const workflow = read('.github/workflows/test.yml');
    expect(commands.length).toBeGreaterThan(4);
    expect(commands.filter((name) => !new RegExp(`npm (run )?${name}$`, 'm').test(workflow))).toEqual([]);
  });

  it('docs/releasing.md names every package, and whether it is published', () => {
    const rows = read('docs/releasing.md').split('\n');
    const wrong = readdirSync(join(root, 'packages')).filter((folder) => {
      const { name, private: isPrivate } = JSON.parse(read(`packages/${folder}/package.json`));
      const [, , published] = rows.find((row) => row.startsWith(`| \`${name}\` |`))?.split(' | ') ?? [];
      return published === undefined || published.startsWith('yes') === (isPrivate === true);
    });
    expect(wrong).toEqual([]);
  });
});

describe('the documents', () => {
  const documents = globSync(['*.md', '{docs,bench,examples,operations}/**/*.md', 'packages/*/README.md'], {
    cwd: root,
    exclude: (name) => /node_modules|\.vitepress/.test(name),
  });

  it('name only scripts that package.json has', () => {
    const { scripts } = JSON.parse(read('package.json'));
    const named = documents.flatMap((path) =>
      Array.from(read(path).matchAll(/npm run (?:--silent )?([a-z][\w-]*)/g), ([, name = '']) => ({ path, name })),
    );
    const ofExamples = /^examples\//;
    expect(named.filter(({ path, name }) => !ofExamples.test(path) && !(name in scripts))).toEqual([]);
  });

  it('of the architecture and the recipes name only files that exist', () => {
    const pages = documents.filter((path) =>
      /^(CONTRIBUTING|docs\/(architecture\/.*|recipes\/README|testing))\.md$/.test(path),
    );
    const exclude = (name: string) => /node_modules|dist$|^\.vitepress/.test(name);
    const files = globSync('{packages,scripts,bench,interop,examples}/**/*.{ts,tsx}', { cwd: root, exclude });
    const named = pages.flatMap((path) =>
      Array.from(read(path).matchAll(/`([\w./-]+\.tsx?)`/g), ([, name = '']) => ({ path, name })),
    );
    expect(named.filter(({ name }) => !files.some((file) => `/${file}`.endsWith(`/${name}`)))).toEqual([]);
  });

  it('has a row for each example', () => {
    const table = read('examples/README.md');
    const folders = readdirSync(join(root, 'examples'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(folders.filter(({ name }) => !table.includes(`](${name})`) && name !== 'node_modules')).toEqual([]);
  });

  it('are all reached from the index', () => {
    const linked = (path: string) =>
      Array.from(read(path).matchAll(/\]\(([^)#\s]+\.md)/g), ([, link = '']) => join(dirname(path), link));
    const reached = new Set<string>();
    const visit = (path: string) => {
      if (reached.has(path) || !documents.includes(path)) return;
      reached.add(path);
      linked(path).forEach(visit);
    };
    visit('docs/README.md');
    expect(documents.filter((path) => path.startsWith('docs/') && !reached.has(path))).toEqual([]);
  });
});
