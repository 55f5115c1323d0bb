import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const packages = [
  ...['certificate-path', 'cli', 'handshake-guard', 'operation-tables', 'router-double'],
  ...['router-messages', 'sdk', 'server', 'shared-types'],
];
const scope = '@edge-controller';

/** A code block of a recipe: a new file, or a change of one. */
export interface Block {
  /** Path in the repository. */
  readonly path: string;
  readonly kind: 'ts' | 'diff';
  readonly lines: readonly string[];
}

/** Returns the code blocks of `docs/recipes/<name>.md`. A block without a path changes the same file as the one before. */
export function recipeBlocks(name: string): Block[] {
  const text = readFileSync(join(root, 'docs/recipes', `${name}.md`), 'utf8');
  let path = '';
  return [...text.matchAll(/^ *`(packages\/\S+)`$|^( *)```(ts|diff)\n(.*?)^ *```$/gms)].flatMap((match) => {
    const [, named, indent = '', kind, code = ''] = match;
    if (named !== undefined) path = named;
    if (kind === undefined) return [];
    const lines = code.split('\n').slice(0, -1);
    return [{ path, kind: kind as Block['kind'], lines: lines.map((line) => line.slice(indent.length)) }];
  });
}

/** Applies the blocks to the copy in `folder`. Throws when the place of a change does not exist exactly once. */
export function applyBlocks(folder: string, blocks: readonly Block[]): void {
  for (const { path, kind, lines } of blocks) {
    const file = join(folder, path);
    if (kind === 'ts') writeFileSync(file, `${lines.join('\n')}\n`, { flag: 'wx' });
    else for (const hunk of hunksOf(lines)) writeFileSync(file, changed(readFileSync(file, 'utf8'), hunk, path));
  }
}

function hunksOf(lines: readonly string[]): string[][] {
  const hunks: string[][] = [[]];
  for (const line of lines) {
    if (line === '@@') hunks.push([]);
    else hunks.at(-1)?.push(line);
  }
  return hunks;
}

function changed(text: string, hunk: readonly string[], path: string): string {
  const without = (mark: string) => hunk.filter((line) => !line.startsWith(mark)).map((line) => `\n${line.slice(1)}`);
  const parts = `\n${text}`.split(`${without('+').join('')}\n`);
  const [before, after] = parts;
  if (parts.length !== 2 || before === undefined) {
    throw new Error(`${path} has ${parts.length - 1} places for ${JSON.stringify(hunk)}`);
  }
  return `${before}${without('-').join('')}\n${after}`.slice(1);
}

/** Copies the sources of the repository to a temporary folder. The installed packages are links, our own ones are copies. */
export function copyRepository(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'edge-recipe-')));
  for (const name of [
    'scripts',
    'biome.json',
    'package.json',
    'tsconfig.base.json',
    'vitest.config.ts',
    'docs/asvs.yaml',
    'packages/console/src/pages/audit-log/event-labels.ts',
  ]) {
    cpSync(join(root, name), join(folder, name), { recursive: true });
  }
  linkModules(folder, '.');
  for (const name of packages) {
    const path = join('packages', name);
    const filter = (source: string) => !/[/\\](node_modules|dist|\.turbo)$/.test(source);
    cpSync(join(root, path), join(folder, path), { recursive: true, filter });
    linkModules(folder, path);
  }
  return folder;
}

function linkModules(folder: string, path: string): void {
  const source = join(root, path, 'node_modules');
  const target = join(folder, path, 'node_modules');
  mkdirSync(join(target, scope), { recursive: true });
  // A package without dependencies has none.
  const names = existsSync(source) ? readdirSync(source) : [];
  for (const name of names.filter((entry) => entry !== scope && entry !== '.vite')) {
    symlinkSync(join(source, name), join(target, name));
  }
  for (const name of packages) symlinkSync(join(folder, 'packages', name), join(target, scope, name));
}

/** Runs a program of Node in `folder` and returns its output, also when it fails. Nothing of the caller's settings gets there. */
export function runNode(folder: string, args: readonly string[], env: Record<string, string> = {}) {
  const options = { cwd: folder, env: { PATH: process.env.PATH ?? '', ...env }, maxBuffer: 2 ** 26 };
  return new Promise<{ failed: boolean; output: string }>((resolve) =>
    execFile(process.execPath, [...args], options, (error, stdout, stderr) =>
      resolve({ failed: error !== null, output: `${stdout}${stderr}` }),
    ),
  );
}
