// Tests of the console in a browser, page by page: packages/console/test/pages.
// Usage: npm run pages [-- <text in the path of a test>]
import { runVitest } from './run-vitest.ts';
import { createTally } from './tally.ts';

const tally = createTally();
await runVitest(tally, ['run', '--config=packages/console/vitest.config.ts', ...process.argv.slice(2)]);
console.log('');
console.log(tally.line());
process.exit(tally.failed === 0 ? 0 : 1);
