import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Done } from './bootstrap.mjs';
import { node, root, run } from './bootstrap.mjs';
import { packedPackages, published } from './pack.ts';
import type { Tally } from './tally.ts';
import { createTally } from './tally.ts';

/** Another run checks only what has changed, and what depends on that. */
const typesOfLastRun = join(root, 'node_modules', '.cache', 'types.tsbuildinfo');

/** Runs all checks that do not run the product. `useBuild` runs beside them, as soon as the packages are built. */
export async function check(tally: Tally, useBuild: () => Promise<void> = async () => undefined) {
  console.log('Checks …');
  tally.step('build', await run(node, ['scripts/build.ts']));
  await Promise.all([useBuild(), checkSource(tally), checkPackages(tally)]);
}

/** Runs the checks that need no build. */
export async function checkSource(tally: Tally) {
  await Promise.all([checkTypes(tally), checkTexts(tally)]);
}

async function checkTypes(tally: Tally) {
  // One program for everything: twelve would check the sources of the server twelve times.
  tally.step('types', await run('tsc', ['-p', '.', '--incremental', '--tsBuildInfoFile', typesOfLastRun]));
  // One program for the examples whose page has no framework.
  for (const project of ['examples/pages.tsconfig.json', ...projectsWithOptions()]) {
    tally.step(`types ${project}`, await run('tsc', ['-p', project]));
  }
}

async function checkTexts(tally: Tally) {
  tally.step('lint and format', await run('biome', ['ci', '--colors=off', '--max-diagnostics=50']));
  tally.step('generated files', await run(node, ['scripts/generate.ts', '--check']));
  tally.step('examples in docs', await run(node, ['scripts/check-examples.ts']));
  tally.step('dead code', await run('knip', ['--no-progress']));
  tally.step('files that a request passes', await run(node, ['scripts/request-path.mjs', '--check']));
}

async function checkPackages(tally: Tally) {
  tally.step('sizes in a browser', await run(node, ['scripts/size.ts']));
  const folder = await packedPackages();
  for (const name of published) {
    const tarball = join(folder, `${name}.tgz`);
    tally.step(`publint ${name}`, await lint(tarball));
    tally.step(`types as published ${name}`, await run('attw', [tarball, ...attwOptions(name)]));
  }
}

/** A suggestion fails, too. */
async function lint(tarball: string): Promise<Done> {
  const { code, output } = await run('publint', ['--strict', tarball]);
  return { code: code === 0 && output.includes('All good!') ? 0 : 1, output };
}

function attwOptions(name: string) {
  const format = ['--no-emoji', '--format', 'ascii'];
  // The server runs on Node alone, which loads an ECMAScript module with `require`.
  return name === 'server' ? [...format, '--ignore-rules', 'cjs-resolves-to-esm'] : format;
}

/** The projects with compiler options of their own. `tsconfig.json` leaves them out. */
function projectsWithOptions() {
  const examples = readdirSync(join(root, 'examples')).map((name) => `examples/${name}`);
  return ['packages/console', ...examples].filter((folder) => {
    const file = join(root, folder, 'tsconfig.json');
    return existsSync(file) && 'compilerOptions' in JSON.parse(readFileSync(file, 'utf8'));
  });
}

if (import.meta.main) {
  const tally = createTally();
  await check(tally);
  console.log(tally.line());
  process.exit(tally.failed === 0 ? 0 : 1);
}
