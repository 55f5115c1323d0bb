import type { Done } from './bootstrap.mjs';

export type Tally = ReturnType<typeof createTally>;

/** Counts passed and failed steps. Prints one line per step, and the output of failed steps. */
export function createTally() {
  const tally = {
    passed: 0,
    failed: 0,
    add(passed: number, failed: number) {
      tally.passed += passed;
      tally.failed += failed;
    },
    pass(name: string) {
      tally.passed += 1;
      console.log(`  ok      ${name}`);
    },
    fail(name: string, output: string) {
      tally.failed += 1;
      console.log(`  FAILED  ${name}`);
      console.log(output.trimEnd().replace(/^/gm, '          '));
    },
    /** Counts one step from the exit code of a command. */
    step(name: string, { code, output }: Done) {
      if (code === 0) tally.pass(name);
      else tally.fail(name, output);
    },
    line: () => `${tally.passed} passed, ${tally.failed} failed`,
  };
  return tally;
}

/** The message of whatever was thrown. */
export const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
