// Packs all packages as they are published: npm run pack -- [folder for the tarballs]. Run a build first.
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { root, run } from './bootstrap.mjs';
import { changelogOf } from './pack/changelog.ts';
import { sbomOf } from './pack/sbom.ts';

/** Every package that is published. */
export const published = readdirSync(join(root, 'packages')).filter((name) => {
  const manifest = JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'));
  return manifest.private !== true;
});

/**
 * Writes `<package>.tgz` for each package into `destination`. It packs a copy, because packing changes the package.json for
 * a moment, and other programs may read it then.
 */
export async function packAll(destination: string) {
  const copy = mkdtempSync(join(tmpdir(), 'edge-pack-'));
  try {
    symlinkSync(join(root, 'scripts'), join(copy, 'scripts'), 'junction');
    cpSync(join(root, 'pnpm-workspace.yaml'), join(copy, 'pnpm-workspace.yaml'));
    for (const name of published) await copyPackage(name, copy);
    mkdirSync(destination, { recursive: true });
    // One after the other: a package reads the versions of those that it depends on.
    for (const name of published) await pack(join(copy, 'packages', name), join(destination, `${name}.tgz`));
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

let packed: Promise<string> | null = null;
/** Returns a folder with the packed packages. It is made once, after a build, and goes with the process. */
export function packedPackages(): Promise<string> {
  packed ??= (async () => {
    const folder = mkdtempSync(join(tmpdir(), 'edge-tarballs-'));
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    await packAll(folder);
    return folder;
  })();
  return packed;
}

async function copyPackage(name: string, copy: string) {
  const skipped = ['node_modules', 'src', 'test'].map((folder) => join(root, 'packages', name, folder));
  const filter = (path: string) => !skipped.includes(path);
  cpSync(join(root, 'packages', name), join(copy, 'packages', name), { recursive: true, filter });
  writeFileSync(join(copy, 'packages', name, 'CHANGELOG.md'), changelogOf(name));
  writeFileSync(join(copy, 'packages', name, 'sbom.cdx.json'), await sbomOf(name));
}

async function pack(folder: string, tarball: string) {
  const { code, output } = await run('npm', ['pack', '--foreground-scripts=false'], { cwd: folder });
  if (code !== 0) throw new Error(`npm pack failed\n${output}`);
  const file = readdirSync(folder).find((name) => name.endsWith('.tgz'));
  if (file === undefined) throw new Error(`npm pack wrote no tarball\n${output}`);
  renameSync(join(folder, file), tarball);
}

if (import.meta.main) await packAll(resolve(process.argv[2] ?? '.'));
