import { join } from 'node:path';
import { bootstrap, node, root, run } from './bootstrap.mjs';

const LIMIT = 10 * 60_000;

bootstrap();
// `npm run bench -- 10` measures each row for 10 seconds; `npm run bench -- timing 500` compares 500 pairs of refusals.
const [first, ...rest] = process.argv.slice(2);
const program = first === 'timing' ? ['timing.ts', ...rest] : ['run.ts', ...process.argv.slice(2)];
const args = ['--conditions=source', '--no-warnings', ...program];
const { code } = await run(node, args, { cwd: join(root, 'bench'), show: true, timeout: LIMIT });
process.exit(code);
