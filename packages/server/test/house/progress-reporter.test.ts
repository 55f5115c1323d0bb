import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { TestCase, TestModule, Vitest } from 'vitest/node';
import ProgressReporter from '../../../../scripts/progress-reporter.ts';

let printed: string[];
let exit: () => Promise<void>;
let reporter: ProgressReporter;
beforeEach(() => {
  vi.useFakeTimers();
  printed = [];
  vi.spyOn(console, 'log').mockImplementation((text) => void printed.push(String(text)));
  exit = vi.fn<() => Promise<void>>(async () => undefined);
  const logger = { printError: ({ message }: Error) => printed.push(message) };
  reporter = new ProgressReporter();
  reporter.onInit({ logger, exit, getRootProject: () => undefined } as unknown as Vitest);
  reporter.onTestRunStart([]);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  process.exitCode = undefined;
});

const file = { relativeModuleId: 'test/a.test.ts' } as TestModule;
const testCase = (errors: readonly Error[]) =>
  ({
    ...{ module: file, fullName: 'adds' },
    result: () => ({ state: errors.length > 0 ? 'failed' : 'passed', errors }),
  }) as unknown as TestCase;

it('prints a failure when it happens', () => {
  reporter.onTestModuleStart(file);
  reporter.onTestCaseResult(testCase([new Error('1 is not 2')]));
  expect(printed.join('\n')).toMatch(/FAILED {2}test\/a\.test\.ts > adds[\s\S]*1 is not 2/);
});

it('ends a run in which no test ends for a quarter of an hour, and no other one', async () => {
  reporter.onTestModuleStart(file);
  for (let count = 0; count < 10; count += 1) {
    await vi.advanceTimersByTimeAsync(14 * 60_000);
    reporter.onTestCaseResult(testCase([]));
  }
  expect(exit).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(15 * 60_000);
  expect(exit).toHaveBeenCalledExactlyOnceWith(true);
  expect(process.exitCode).toBe(1);
  expect(printed).toContain('  still runs: test/a.test.ts');
});
