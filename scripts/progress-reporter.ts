import { styleText } from 'node:util';
import type {
  Reporter,
  SerializedError,
  TestCase,
  TestModule,
  TestProject,
  TestSpecification,
  TestSuite,
  Vitest,
} from 'vitest/node';
import { since } from './stages.mjs';

/** Milliseconds in which at least one test must end. The longest test may take less. */
const patience = 15 * 60_000;

/**
 * Shows each test file when it has ended, and each failure when it happens. A run may take as long as it needs: it is ended only when
 * no test has ended for a quarter of an hour.
 */
export default class ProgressReporter implements Reporter {
  readonly #startedAt = performance.now();
  readonly #running = new Set<TestModule>();
  readonly #failed: string[] = [];
  #vitest: Vitest | null = null;
  #files = 0;
  #ended = 0;
  #timer: NodeJS.Timeout | undefined;

  onInit(vitest: Vitest) {
    this.#vitest = vitest;
  }

  onTestRunStart(specifications: readonly TestSpecification[]) {
    this.#files = specifications.length;
    this.#wait();
  }

  onTestModuleStart(testModule: TestModule) {
    this.#running.add(testModule);
    this.#wait();
  }

  onTestCaseResult(testCase: TestCase) {
    this.#wait();
    const { state, errors = [] } = testCase.result();
    if (state === 'failed') this.#fail(testCase.project, `${pathOf(testCase.module)} > ${testCase.fullName}`, errors);
  }

  onTestSuiteResult(suite: TestSuite) {
    this.#fail(suite.project, `${pathOf(suite.module)} > ${suite.fullName}`, suite.errors());
  }

  onTestModuleEnd(testModule: TestModule) {
    this.#wait();
    this.#running.delete(testModule);
    this.#ended += 1;
    this.#fail(testModule.project, pathOf(testModule), testModule.errors());
    const tests = [...testModule.children.allTests()].filter((test) => test.result().state !== 'skipped').length;
    const seconds = (testModule.diagnostic().duration / 1_000).toFixed(1);
    const count = `${this.#ended}/${this.#files}`.padStart(9);
    const mark = testModule.ok() ? '  ' : styleText('red', '✗ ');
    console.log(`${count} ${mark}${pathOf(testModule)}  ${styleText('dim', `${tests} tests, ${seconds} s`)}`);
  }

  onTestRunEnd(_modules: readonly TestModule[], unhandled: readonly SerializedError[]) {
    clearTimeout(this.#timer);
    this.#fail(this.#vitest?.getRootProject(), 'outside of a test', unhandled);
    console.log(`  ${this.#ended} test files in ${since(this.#startedAt)}`);
    for (const name of this.#failed) console.log(styleText('red', `  FAILED  ${name}`));
  }

  #fail(project: TestProject | undefined, name: string, errors: readonly unknown[]) {
    if (errors.length === 0) return;
    this.#failed.push(name);
    console.log(styleText('red', `  FAILED  ${name}`));
    for (const error of errors) this.#vitest?.logger.printError(error, project ? { project } : {});
  }

  /** Something has happened, so the next thing may take a while. */
  #wait() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#giveUp(), patience);
  }

  async #giveUp() {
    this.#failed.push('the run: no test has ended for 15 minutes');
    console.log(this.#failed.at(-1));
    for (const testModule of this.#running) console.log(`  still runs: ${pathOf(testModule)}`);
    process.exitCode = 1;
    await this.#vitest?.exit(true);
  }
}

function pathOf({ relativeModuleId }: TestModule): string {
  return relativeModuleId;
}
