import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bootstrap, run } from './bootstrap.mjs';
import { check } from './check.mjs';
import { runExamples } from './run-examples.mjs';
import { createTally } from './tally.mjs';

const VITEST_LIMIT = 8 * 60_000;

bootstrap();
const tally = createTally();

// Every part runs even after a failure, so that the totals are those of the whole suite.
await unitAndWireTests(tally);
await check(tally);
await runExamples(tally);

console.log('');
console.log(tally.line());
process.exit(tally.failed === 0 ? 0 : 1);

async function unitAndWireTests(tally) {
  const directory = mkdtempSync(join(tmpdir(), 'edge-tests-'));
  const file = join(directory, 'vitest.json');
  console.log('unit, contract and wire tests …');
  // Arguments of `npm test` reach vitest: `npm test -- lockout` runs the test files of that name.
  const args = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${file}`, ...process.argv.slice(2)];
  const { code } = await run('vitest', args, { show: true, timeout: VITEST_LIMIT });
  try {
    countVitest(tally, JSON.parse(readFileSync(file, 'utf8')), code);
  } catch (error) {
    tally.fail('vitest', `wrote no report: ${error.message}`);
  }
  rmSync(directory, { recursive: true, force: true });
}

function countVitest(tally, report, code) {
  // A file whose set-up or tear-down failed, whatever became of its tests.
  const brokenFiles = report.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some(({ status }) => status === 'failed'),
  );
  tally.add(report.numPassedTests, report.numFailedTests + brokenFiles.length);
  const skipped = report.numPendingTests + report.numTodoTests;
  if (skipped > 0) console.log(`${skipped} tests were skipped`);
  if ((code !== 0 || !report.success) && tally.failed === 0)
    tally.fail('vitest', 'ended with an error outside of any test');
}
