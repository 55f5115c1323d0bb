import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bootstrap, node, root, run } from './bootstrap.mjs';
import { createTally } from './tally.mjs';

const published = ['shared-types', 'sdk'];

/** Runs all checks that do not run the product. It builds the packages, which the examples need too. */
export async function check(tally) {
  console.log('Checks …');
  await Promise.all([checkSource(tally), checkPackages(tally)]);
}

async function checkSource(tally) {
  for (const project of projects()) {
    tally.step(`types ${project}`, await run('tsc', ['-p', project]));
  }
}

async function checkPackages(tally) {
  tally.step('lint and format', await run('biome', ['ci', '--colors=off', '--max-diagnostics=50']));
  tally.step('generated files', await run(node, ['scripts/generate.mjs', '--check']));
  tally.step('dead code', await run('knip', ['--no-progress']));
  tally.step('build', await run(node, ['scripts/build.mjs']));
  for (const name of published) {
    tally.step(`publint ${name}`, await run('publint', ['--strict', '--pack', 'npm', `packages/${name}`]));
    tally.step(`types as published ${name}`, await run('attw', ['--pack', `packages/${name}`, ...attwOptions]));
  }
}

// Leaves out Node 10, which does not support "exports".
const attwOptions = ['--profile', 'node16', '--no-emoji', '--format', 'ascii'];

function projects() {
  const folders = ['packages', 'examples'].flatMap((parent) => {
    if (!existsSync(join(root, parent))) return [];
    return readdirSync(join(root, parent)).map((name) => `${parent}/${name}`);
  });
  return [...folders, 'bench'].filter((folder) => existsSync(join(root, folder, 'tsconfig.json')));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  bootstrap();
  const tally = createTally();
  await check(tally);
  console.log(tally.line());
  process.exit(tally.failed === 0 ? 0 : 1);
}
