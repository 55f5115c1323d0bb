// Packs all packages as they are published: node scripts/pack.mjs [folder for the tarballs]. Run a build first.
import { cpSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root, run } from './bootstrap.mjs';

/** Every package that is published. */
export const published = readdirSync(join(root, 'packages'));

/**
 * Writes `<package>.tgz` for each package into `destination`. It packs a copy, because packing changes the package.json for
 * a moment, and other programs may read it then.
 */
export async function packAll(destination) {
  const copy = mkdtempSync(join(tmpdir(), 'edge-pack-'));
  try {
    symlinkSync(join(root, 'scripts'), join(copy, 'scripts'), 'junction');
    cpSync(join(root, 'pnpm-workspace.yaml'), join(copy, 'pnpm-workspace.yaml'));
    for (const name of published) copyPackage(name, copy);
    mkdirSync(destination, { recursive: true });
    await Promise.all(published.map((name) => pack(join(copy, 'packages', name), join(destination, `${name}.tgz`))));
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

let packed = null;
/** Returns a folder with the packed packages. It is made once, after a build, and goes with the process. */
export function packedPackages() {
  packed ??= (async () => {
    const folder = mkdtempSync(join(tmpdir(), 'edge-tarballs-'));
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    await packAll(folder);
    return folder;
  })();
  return packed;
}

function copyPackage(name, copy) {
  const skipped = ['node_modules', 'src', 'test'].map((folder) => join(root, 'packages', name, folder));
  const filter = (path) => !skipped.includes(path);
  cpSync(join(root, 'packages', name), join(copy, 'packages', name), { recursive: true, filter });
}

async function pack(folder, tarball) {
  const { code, output } = await run('npm', ['pack', '--foreground-scripts=false'], { cwd: folder });
  if (code !== 0) throw new Error(`npm pack failed\n${output}`);
  const [file] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  renameSync(join(folder, file), tarball);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await packAll(resolve(process.argv[2] ?? '.'));
