import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root } from '../bootstrap.mjs';

type Bump = 'major' | 'minor' | 'patch';

const titles: Readonly<Record<Bump, string>> = {
  major: 'Major Changes',
  minor: 'Minor Changes',
  patch: 'Patch Changes',
};

/**
 * The changelog of a package as it is packed. Changesets that no release has taken yet are its first section, in the form that
 * `changeset version` gives them. Before a publication there are none.
 */
export function changelogOf(folder: string): string {
  const { name }: { name: string } = JSON.parse(readFileSync(join(root, 'packages', folder, 'package.json'), 'utf8'));
  const released = join(root, 'packages', folder, 'CHANGELOG.md');
  const text = existsSync(released) ? readFileSync(released, 'utf8') : `# ${name}\n`;
  const sections = pendingSections(name);
  if (sections.length === 0) return text;
  const [title = '', ...rest] = text.split('\n');
  return [title, '', '## Unreleased', '', ...sections, ...rest].join('\n');
}

function pendingSections(name: string): string[] {
  const changes = pending().filter(({ bumps }) => bumps[name]);
  return Object.entries(titles).flatMap(([bump, title]) => {
    const entries = changes.filter(({ bumps }) => bumps[name] === bump).map(({ text }) => entryOf(text));
    return entries.length === 0 ? [] : [`### ${title}`, '', ...entries, ''];
  });
}

/** The changesets, in the order of their names. */
function pending(): { bumps: Partial<Record<string, Bump>>; text: string }[] {
  const folder = join(root, '.changeset');
  const files = readdirSync(folder).filter((file) => file.endsWith('.md'));
  return files.sort().map((file) => {
    const [, front = '', text = ''] =
      /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(readFileSync(join(folder, file), 'utf8')) ?? [];
    if (text.trim() === '') throw new Error(`.changeset/${file} has no text`);
    return { bumps: parse(front) ?? {}, text: text.trim() };
  });
}

/** Further lines belong to the same item of the list. */
const entryOf = (text: string) => `- ${text.replaceAll('\n', '\n  ').replaceAll(/^ +$/gm, '')}`;
