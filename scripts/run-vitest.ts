import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from './bootstrap.mjs';
import type { Tally } from './tally.ts';
import { messageOf } from './tally.ts';

interface VitestReport {
  readonly success: boolean;
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly { status: string; assertionResults: readonly { status: string }[] }[];
}

/** Runs vitest with these arguments, and counts its tests. Each test has a limit of its own: a slow machine must not lose all results. */
export async function runVitest(tally: Tally, args: readonly string[]) {
  const directory = mkdtempSync(join(tmpdir(), 'edge-tests-'));
  const file = join(directory, 'vitest.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const { code } = await run('vitest', [...args, ...reporters], { show: true });
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
