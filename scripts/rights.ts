// Changes rights, posture and sessions in random order, on one controller with SQLite and on two with PostgreSQL and Redis. After
// each step, who may use which service must be what a plain evaluation says. Stops at the first fault.
// Usage: npm run rights -- [steps=10000]
import { run } from './bootstrap.mjs';

const steps = process.argv[2] ?? '10000';
const { code } = await run('vitest', ['run', 'service-rights-random'], {
  show: true,
  extraEnv: { EDGE_TEST_STEPS: steps },
});
process.exitCode = code;
