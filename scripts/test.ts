import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from './bootstrap.mjs';
import { changedFiles } from './changed.ts';
import { check, checkSource } from './check.ts';
import { runExamples } from './run-examples.ts';
import type { Tally } from './tally.ts';
import { createTally, messageOf } from './tally.ts';

const VITEST_LIMIT = 15 * 60_000;

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

interface VitestReport {
  readonly success: boolean;
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly { status: string; assertionResults: readonly { status: string }[] }[];
}

async function unitAndWireTests(tally: Tally, command: readonly string[]) {
  const directory = mkdtempSync(join(tmpdir(), 'edge-tests-'));
  const file = join(directory, 'vitest.json');
  console.log('Unit, contract and API tests …');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const { code } = await run('vitest', [...command, ...reporters], { show: true, timeout: VITEST_LIMIT });
  try {
    countVitest(tally, JSON.parse(readFileSync(file, 'utf8')), code);
  } catch (error) {
    tally.fail('vitest', `wrote no valid report: ${messageOf(error)}`);
  }
  rmSync(directory, { recursive: true, force: true });
}

function countVitest(tally: Tally, report: VitestReport, code: number) {
  // Test files whose set-up or tear-down failed.
  const brokenFiles = report.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some(({ status }) => status === 'failed'),
  );
  tally.add(report.numPassedTests, report.numFailedTests + brokenFiles.length);
  const skipped = report.numPendingTests + report.numTodoTests;
  if (skipped > 0) console.log(`${skipped} tests were skipped`);
  if ((code !== 0 || !report.success) && tally.failed === 0) tally.fail('vitest', 'failed outside of a test');
}
