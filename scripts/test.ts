import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './bootstrap.mjs';
import { changedFiles } from './changed.ts';
import { check, checkSource } from './check.ts';
import { runExamples } from './run-examples.ts';
import { runVitest } from './run-vitest.ts';
import { createTally } from './tally.ts';

/** `npm run long-tests` runs these. */
const withoutLongTests = ['--project=!long', '--project=!load'];

const tally = createTally();
const options = process.argv.slice(2);
const given = options.filter((option) => !['--all', '--rest', '--changed'].includes(option));

console.log('Unit, contract and API tests …');
// All parts run even after a failure, so that the totals include the whole suite.
if (options.includes('--changed')) {
  const files = await changedFiles();
  const related = ['related', '--run', '--passWithNoTests', ...given, ...(files ?? [])];
  await runVitest(tally, files ? related : ['run', ...given], { stores: 'embedded' });
  console.log('Checks of the sources …');
  await checkSource(tally);
} else if (options.includes('--rest')) {
  await runVitest(tally, ['run', '--project=wire', '-t', 'PostgreSQL, Redis', ...given, ...testsOfPairs()], {
    stores: 'shared',
  });
} else {
  // Passes the arguments of `npm test` to vitest: `npm test -- lockout` runs the test files with that name, also long ones.
  const isQuick = given.length === 0 && !options.includes('--all');
  const args = ['run', ...(given.length > 0 ? given : withoutLongTests)];
  await runVitest(tally, args, isQuick ? { stores: 'embedded' } : {});
  // The examples wait for a browser most of the time.
  await check(tally, () => runExamples(tally));
}

console.log('');
console.log(tally.line());
process.exit(tally.failed === 0 ? 0 : 1);

/** The test files with tests that `npm test` has run on the embedded stores alone. */
function testsOfPairs() {
  const files = globSync('packages/*/test/**/*.test.ts', { cwd: root });
  return files.filter((file) => /\bstorePairs\b/.test(readFileSync(join(root, file), 'utf8')));
}
