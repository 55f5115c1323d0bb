import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DefaultTheme, MarkdownOptions } from 'vitepress';
import { defineConfig } from 'vitepress';

const root = fileURLToPath(new URL('../..', import.meta.url));
const repository = 'https://github.com/edge-controller/edge-controller';
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** The documents that are pages: the address of a page is its path in the repository. */
const pages = globSync(
  [
    '{README,CHANGELOG,CONTRIBUTING,SECURITY}.md',
    'docs/*.md',
    'docs/{architecture,recipes,sdk}/*.md',
    '{bench,examples,operations}/README.md',
    '{packages,examples}/*/README.md',
  ],
  { cwd: root },
);

/** Where a link of a page leads: another page, the API documents, or a file in the repository. */
function addressOf(link: string, page: string): string {
  const [path = '', heading] = link.split('#');
  if (/^[a-z]+:/.test(link) || path === '') return link;
  const target = posix.join(posix.dirname(page), path).replace(/\/$/, '');
  const found = [target, posix.join(target, 'README.md')].find((file) => pages.includes(file));
  if (found) return `/${found.replace(/README\.md$/, '')}${heading === undefined ? '' : `#${heading}`}`;
  if (!existsSync(join(root, target))) throw new Error(`${page} has a link to ${link}, which is not there`);
  return `${repository}/blob/main/${target}`;
}

/** Headings have the names that they have in the repository. */
const slugify = (title: string) =>
  title
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

const markdown: MarkdownOptions = {
  anchor: { slugify },
  config(md) {
    md.core.ruler.push('links-of-the-repository', ({ tokens, env }) => {
      const page = posix.relative(root, env.realPath ?? env.path);
      for (const token of tokens.flatMap(({ children }) => children ?? [])) {
        const link = token.type === 'link_open' ? token.attrGet('href') : null;
        if (link !== null) token.attrSet('href', addressOf(link, page));
      }
    });
  },
};

const titleOf = (path: string) => /^# (.*)$/m.exec(read(path))?.[1] ?? path;
const itemOf = (path: string): DefaultTheme.SidebarItem => ({
  text: titleOf(path),
  link: addressOf(path, 'README.md'),
});
const group = (text: string, pattern: string): DefaultTheme.SidebarItem => ({
  text,
  collapsed: true,
  items: pages.filter((path) => posix.matchesGlob(path, pattern) && dirname(path) !== 'examples').map(itemOf),
});

/** The sections of `docs/README.md` with the first link of each of their items. */
const index = read('docs/README.md')
  .split(/^## /m)
  .slice(1)
  .map((section): DefaultTheme.SidebarItem => {
    const links = section.matchAll(/^- .*?\[(.+?)\]\((.+?)\)/gm);
    const items = Array.from(links, ([, text = '', link = '']) => ({ text, link: addressOf(link, 'docs/README.md') }));
    return { text: section.slice(0, section.indexOf('\n')), items };
  });

export default defineConfig({
  title: 'Edge Controller',
  description: 'An OpenZiti-compatible edge controller in TypeScript',
  srcDir: '..',
  srcExclude: globSync('**/*.md', { cwd: root, exclude: (name) => /node_modules|\/dist$/.test(name) }).filter(
    (path) => !pages.includes(path),
  ),
  rewrites: (path) => path.replace(/README\.md$/, 'index.md'),
  markdown,
  lastUpdated: false,
  themeConfig: {
    search: { provider: 'local' },
    nav: [
      { text: 'Documentation', link: '/docs/' },
      { text: 'SDK reference', link: '/api/index.html', target: '_self' },
      { text: 'OpenAPI', link: '/openapi/index.html', target: '_self' },
    ],
    sidebar: [
      ...index,
      group('The guide to the SDK', 'docs/sdk/*.md'),
      group('Architecture', 'docs/architecture/*.md'),
      group('Recipes', 'docs/recipes/*.md'),
      group('Examples', 'examples/*/README.md'),
      group('Packages', 'packages/*/README.md'),
    ],
    outline: [2, 3],
    socialLinks: [{ icon: 'github', link: repository }],
  },
});
