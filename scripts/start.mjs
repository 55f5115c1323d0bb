import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';
import { bootstrap, build, env, node, root } from './bootstrap.mjs';

bootstrap();
// The SDK too, so that the README's example runs beside the server.
build(['server', 'sdk']);

const main = join('packages', 'server', 'dist', 'main.js');
const given = process.argv.slice(2);
const isOption = given[0] === undefined || given[0].startsWith('-');
const args =
  isOption && !given.some((arg) => ['--help', '-h', '--version', '-v'].includes(arg)) ? ['run', ...given] : given;
const server = spawn(node, [main, ...args], { cwd: root, env, stdio: 'inherit', shell: process.platform === 'win32' });

// A signal to this process alone (a supervisor, a container) must reach the server too; from a
// terminal the server gets it twice, which its drain tolerates.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => server.kill(signal));

server.on('error', (error) => {
  console.error(error.message);
  process.exit(1);
});
server.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
