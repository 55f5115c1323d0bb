import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bootstrap, node, root, run } from './bootstrap.mjs';
import { packAll, published } from './pack.mjs';
import { createTally } from './tally.mjs';

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
  tally.step('examples in docs', await run(node, ['scripts/check-examples.mjs']));
  tally.step('dead code', await run('knip', ['--no-progress']));
  tally.step('build', await run(node, ['scripts/build.mjs']));
  tally.step('sizes in a browser', await run(node, ['scripts/size.mjs']));
  await checkTarballs(tally);
}

async function checkTarballs(tally) {
  const folder = mkdtempSync(join(tmpdir(), 'edge-tarballs-'));
  try {
    await packAll(folder);
    for (const name of published) {
      const tarball = join(folder, `${name}.tgz`);
      tally.step(`publint ${name}`, await lint(tarball));
      tally.step(`types as published ${name}`, await run('attw', [tarball, ...attwOptions(name)]));
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A suggestion fails, too. */
async function lint(tarball) {
  const { code, output } = await run('publint', ['--strict', tarball]);
  return { code: code === 0 && output.includes('All good!') ? 0 : 1, output };
}

function attwOptions(name) {
  const format = ['--no-emoji', '--format', 'ascii'];
  // The server runs on Node alone, which loads an ECMAScript module with `require`.
  return name === 'server' ? [...format, '--ignore-rules', 'cjs-resolves-to-esm'] : format;
}

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
  await bootstrap();
  const tally = createTally();
  await check(tally);
  console.log(tally.line());
  process.exit(tally.failed === 0 ? 0 : 1);
}
