/** Counts passed and failed steps. Prints one line per step, and the output of failed steps. */
export function createTally() {
  const tally = {
    passed: 0,
    failed: 0,
    add(passed, failed) {
      tally.passed += passed;
      tally.failed += failed;
    },
    pass(name) {
      tally.passed += 1;
      console.log(`  ok      ${name}`);
    },
    fail(name, output) {
      tally.failed += 1;
      console.log(`  FAILED  ${name}`);
      console.log(output.trimEnd().replace(/^/gm, '          '));
    },
    /** Counts one step from the exit code of a command. */
    step(name, { code, output }) {
      if (code === 0) tally.pass(name);
      else tally.fail(name, output);
    },
    line: () => `${tally.passed} passed, ${tally.failed} failed`,
  };
  return tally;
}
