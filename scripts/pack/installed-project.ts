import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { root, run } from '../bootstrap.mjs';
import { packedPackages, published } from '../pack.ts';

/**
 * An empty project outside the workspace with the packed packages, as an installation leaves it. What they depend on is
 * linked to the installed packages of the workspace, so that no registry is needed. Returns its folder.
 */
export async function installedProject(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'edge-project-'));
  const tarballs = await packedPackages();
  for (const name of published) {
    const target = join(folder, 'node_modules', '@edge-controller', name);
    mkdirSync(target, { recursive: true });
    const { code, output } = await run('tar', ['-xzf', `${name}.tgz`, '-C', target, '--strip-components=1'], {
      cwd: tarballs,
    });
    if (code !== 0) throw new Error(`tar failed\n${output}`);
    const { dependencies = {}, peerDependencies = {} } = manifestOf(target);
    const needed = Object.keys({ ...dependencies, ...peerDependencies });
    for (const dependency of needed) link(folder, dependency, join(root, 'packages', name));
  }
  link(folder, '@types/node', root);
  return folder;
}

/** The import paths of all entries of the packed packages in a project. */
export function entriesOf(folder: string): string[] {
  return published.flatMap((name) => {
    const { exports } = manifestOf(join(folder, 'node_modules', '@edge-controller', name));
    const paths = Object.keys(exports).filter((path) => path !== './package.json');
    return paths.map((path) => `@edge-controller/${name}${path.slice(1)}`);
  });
}

interface Manifest {
  readonly exports: object;
  readonly dependencies?: object;
  readonly peerDependencies?: object;
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

function link(folder: string, dependency: string, from: string) {
  if (dependency.startsWith('@edge-controller/')) return;
  const path = join(folder, 'node_modules', dependency);
  if (existsSync(path)) return;
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(realpathSync(join(from, 'node_modules', dependency)), path, 'junction');
  const types = `@types/${dependency}`;
  if (existsSync(join(from, 'node_modules', types))) {
    link(folder, types, from);
  }
}
