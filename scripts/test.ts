import { changedFiles } from './changed.ts';
import { check, checkSource } from './check.ts';
import { runExamples } from './run-examples.ts';
import { runVitest } from './run-vitest.ts';
import { createTally } from './tally.ts';

/** `npm run long-tests` runs these. */
const withoutLongTests = ['--project=!long', '--project=!load'];

const tally = createTally();
const options = process.argv.slice(2);

console.log('Unit, contract and API tests …');
// All parts run even after a failure, so that the totals include the whole suite.
if (options.includes('--changed')) {
  const files = await changedFiles();
  const others = options.filter((option) => option !== '--changed');
  const related = ['related', '--run', '--passWithNoTests', ...others, ...(files ?? [])];
  await runVitest(tally, files ? related : ['run', ...others]);
  console.log('Checks of the sources …');
  await checkSource(tally);
} else {
  // Passes the arguments of `npm test` to vitest: `npm test -- lockout` runs the test files with that name, also long ones.
  await runVitest(tally, ['run', ...(options.length > 0 ? options : withoutLongTests)]);
  // The examples wait for a browser most of the time.
  await check(tally, () => runExamples(tally));
}

console.log('');
console.log(tally.line());
process.exit(tally.failed === 0 ? 0 : 1);
