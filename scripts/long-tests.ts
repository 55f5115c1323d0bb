// The tests that take long: controllers that are killed, cut off, broken and moved, random changes, load.
// Usage: npm run long-tests [-- <text in the path of a test>]
import { runVitest } from './run-vitest.ts';
import { createTally } from './tally.ts';

const tally = createTally();
await runVitest(tally, ['run', '--project=long', '--project=load', ...process.argv.slice(2)]);
console.log('');
console.log(tally.line());
process.exit(tally.failed === 0 ? 0 : 1);
