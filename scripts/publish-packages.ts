// Publishes the versions that npm does not have yet, and tags them. The release workflow runs it: see docs/releasing.md.
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, root, run } from './bootstrap.mjs';
import { packAll } from './pack.ts';

// Each after those that it depends on.
const packages = ['shared-types', 'sdk', 'server'];
const isDryRun = process.argv.includes('--dry-run');

await build(['*']);
await requireTrustedPublishing();
const tarballs = mkdtempSync(join(tmpdir(), 'edge-release-'));
await packAll(tarballs);
for (const folder of packages) await publish(folder);

async function publish(folder: string) {
  const { name, version } = JSON.parse(readFileSync(join(root, 'packages', folder, 'package.json'), 'utf8'));
  const release = `${name}@${version}`;
  if (await isPublished(release)) return console.log(`${release} is published already`);
  const options = isDryRun ? ['--dry-run', '--no-provenance'] : ['--provenance'];
  await must('npm', ['publish', join(tarballs, `${folder}.tgz`), '--access', 'public', ...options]);
  if (isDryRun) return;
  await must('git', ['tag', release]);
  await must('git', ['push', 'origin', release]);
}

async function isPublished(release: string) {
  const { code, output } = await run('npm', ['view', release, 'version']);
  if (code !== 0 && !output.includes('E404')) throw new Error(output);
  return code === 0 && output.trim() !== '';
}

async function requireTrustedPublishing() {
  const { output } = await run('npm', ['--version']);
  const [major = 0, minor = 0, patch = 0] = output.trim().split('.').map(Number);
  if (major * 1e6 + minor * 1e3 + patch < 11_005_001) throw new Error(`npm ${output.trim()} is older than 11.5.1`);
}

async function must(command: string, args: readonly string[]) {
  const { code } = await run(command, args, { show: true });
  if (code !== 0) throw new Error(`${command} ${args[0]} failed`);
}
