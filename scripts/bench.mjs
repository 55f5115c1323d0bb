import { join, resolve } from 'node:path';
import { bootstrap, node, root, run } from './bootstrap.mjs';

const LIMIT = 60 * 60_000;

await bootstrap();
// These ask something else than the rows of run.ts and have a program of their own.
const programs = [
  'timing',
  'start',
  'session-lists',
  'membership',
  'handshakes',
  'ecosystem',
  'profile',
  'import',
  'cli',
  'console',
];
const given = process.argv.slice(2).map((word) => (word.includes('/') ? resolve(word) : word));
const [first = ''] = given;
const program = programs.includes(first) ? [`${first}.ts`, ...given.slice(1)] : ['run.ts', ...given];
const args = ['--conditions=source', '--no-warnings', ...program];
const { code } = await run(node, args, { cwd: join(root, 'bench'), show: true, timeout: LIMIT });
process.exit(code);
