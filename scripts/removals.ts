// Opens 200 connections through two edge routers, and takes away in random order what they stand on, with SQLite and with PostgreSQL
// and Redis. After each response, what it ends must be closed within half a second. Stops at the first fault.
// Usage: npm run removals -- [steps=1000]
import { run } from './bootstrap.mjs';

const steps = process.argv[2] ?? '1000';
const { code } = await run('vitest', ['run', 'edge-routers-removals'], {
  show: true,
  extraEnv: { EDGE_TEST_REMOVALS: steps },
});
process.exitCode = code;
