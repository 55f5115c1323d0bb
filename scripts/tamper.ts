// Writes an audit log of 10,000 entries from two controllers, with SQLite and with PostgreSQL, and changes it in random ways: changed,
// removed, inserted, swapped and rewritten entries, a cut end. `audit verify` must find each.
// Usage: npm run tamper -- [changes=1000]
import { run } from './bootstrap.mjs';

const changes = process.argv[2] ?? '1000';
const { code } = await run('vitest', ['run', 'audit-tampering'], {
  show: true,
  extraEnv: { EDGE_TEST_TAMPERS: changes, EDGE_TEST_ENTRIES: '10000' },
});
process.exitCode = code;
