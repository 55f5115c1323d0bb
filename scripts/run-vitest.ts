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

interface RunOptions {
  /** On which stores a test runs that does not name them itself. Default: on both pairs. See `test/support/controller.ts` of the server. */
  readonly stores?: 'embedded' | 'shared';
}

/** Runs vitest with these arguments, and counts its tests. Each test has a limit of its own: a slow machine must not lose all results. */
export async function runVitest(tally: Tally, args: readonly string[], { stores }: RunOptions = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'edge-tests-'));
  const file = join(directory, 'vitest.json');
  const reporters = [
    `--reporter=${join(import.meta.dirname, 'progress-reporter.ts')}`,
    '--reporter=json',
    `--outputFile.json=${file}`,
  ];
  const extraEnv = stores ? { EDGE_TEST_STORES: stores } : {};
  const { code } = await run('vitest', [...args, ...reporters], { show: true, extraEnv });
  try {
    // Who asks for some tests knows that the others do not run.
    countVitest(tally, JSON.parse(readFileSync(file, 'utf8')), { code, isSelection: args.includes('-t') });
  } catch (error) {
    tally.fail('vitest', `wrote no valid report: ${messageOf(error)}`);
  }
  rmSync(directory, { recursive: true, force: true });
}

function countVitest(
  tally: Tally,
  report: VitestReport,
  { code, isSelection }: { code: number; isSelection: boolean },
) {
  // Test files whose set-up or tear-down failed.
  const brokenFiles = report.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some(({ status }) => status === 'failed'),
  );
  tally.add(report.numPassedTests, report.numFailedTests + brokenFiles.length);
  const skipped = report.numPendingTests + report.numTodoTests;
  if (skipped > 0 && !isSelection) console.log(`${skipped} tests were skipped`);
  if ((code !== 0 || !report.success) && tally.failed === 0) tally.fail('vitest', 'failed outside of a test');
}
