import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bootstrap, run } from './bootstrap.mjs';
import { changedFiles } from './changed.mjs';
import { check, checkSource } from './check.mjs';
import { runExamples } from './run-examples.mjs';
import { createTally } from './tally.mjs';

const VITEST_LIMIT = 15 * 60_000;

await bootstrap();
const tally = createTally();
const options = process.argv.slice(2);

// All parts run even after a failure, so that the totals include the whole suite.
if (options.includes('--changed')) {
  const files = await changedFiles();
  const others = options.filter((option) => option !== '--changed');
  await unitAndWireTests(
    tally,
    files ? ['related', '--run', '--passWithNoTests', ...others, ...files] : ['run', ...others],
  );
  console.log('Checks of the sources …');
  await checkSource(tally);
} else {
  // Passes the arguments of `npm test` to vitest: `npm test -- lockout` runs the test files with that name.
  await unitAndWireTests(tally, ['run', ...options]);
  // The examples wait for a browser most of the time.
  await check(tally, () => runExamples(tally));
}

console.log('');
console.log(tally.line());
process.exit(tally.failed === 0 ? 0 : 1);

async function unitAndWireTests(tally, command) {
  const directory = mkdtempSync(join(tmpdir(), 'edge-tests-'));
  const file = join(directory, 'vitest.json');
  console.log('Unit, contract and API tests …');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const { code } = await run('vitest', [...command, ...reporters], { show: true, timeout: VITEST_LIMIT });
  try {
    countVitest(tally, JSON.parse(readFileSync(file, 'utf8')), code);
  } catch (error) {
    tally.fail('vitest', `wrote no valid report: ${error.message}`);
  }
  rmSync(directory, { recursive: true, force: true });
}

function countVitest(tally, report, code) {
  // Test files whose set-up or tear-down failed.
  const brokenFiles = report.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some(({ status }) => status === 'failed'),
  );
  tally.add(report.numPassedTests, report.numFailedTests + brokenFiles.length);
  const skipped = report.numPendingTests + report.numTodoTests;
  if (skipped > 0) console.log(`${skipped} tests were skipped`);
  if ((code !== 0 || !report.success) && tally.failed === 0) tally.fail('vitest', 'failed outside of a test');
}
