import { join } from 'node:path';
import { bootstrap, node, root, run } from './bootstrap.mjs';

const LIMIT = 10 * 60_000;

bootstrap();
// `npm run bench -- 10` measures each row for 10 seconds.
const args = ['--conditions=source', '--no-warnings', 'run.ts', ...process.argv.slice(2)];
const { code } = await run(node, args, { cwd: join(root, 'bench'), show: true, timeout: LIMIT });
process.exit(code);
