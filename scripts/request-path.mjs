// Prints the files of ours that four requests pass, the order in which they enter them, and how often the folder changes.
// Usage: node scripts/request-path.mjs [--redis] [--check]
import { join } from 'node:path';
import { bootstrap, node, root, run } from './bootstrap.mjs';

const LIMIT = 5 * 60_000;

await bootstrap();
const args = ['--conditions=source', '--no-warnings', 'request-path.ts', ...process.argv.slice(2)];
const { code } = await run(node, args, { cwd: join(root, 'bench'), show: true, timeout: LIMIT });
process.exit(code);
