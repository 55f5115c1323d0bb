import { existsSync, readdirSync, readFileSync } from 'node:fs';
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

/** One program for everything: twelve would check the sources of the server twelve times. */
async function checkSource(tally) {
  tally.step('types', await run('tsc', ['-p', '.']));
  for (const project of projectsWithOptions()) {
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

/** The projects with compiler options of their own. `tsconfig.json` leaves them out. */
function projectsWithOptions() {
  return readdirSync(join(root, 'examples'))
    .map((name) => `examples/${name}`)
    .filter((folder) => {
      const file = join(root, folder, 'tsconfig.json');
      return existsSync(file) && 'compilerOptions' in JSON.parse(readFileSync(file, 'utf8'));
    });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  bootstrap();
  const tally = createTally();
  await check(tally);
  console.log(tally.line());
  process.exit(tally.failed === 0 ? 0 : 1);
}
