// Exports a database with many identities, and imports it from SQLite to PostgreSQL and back. No row may change, and the memory is
// bounded. Usage: npm run moving -- [identities=100000]
import { run } from './bootstrap.mjs';

const identities = process.argv[2] ?? '100000';
const { code } = await run('vitest', ['run', 'moving'], {
  show: true,
  extraEnv: { EDGE_TEST_MOVED: identities },
});
process.exitCode = code;
