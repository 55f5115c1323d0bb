import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';
import { bootstrap, build, env, node, root, stages } from './bootstrap.mjs';

await bootstrap();
// The example in README.md needs the SDK.
await build(['server', 'sdk']);

const main = join('packages', 'server', 'dist', 'main.js');
const given = process.argv.slice(2);
const isOption = given[0] === undefined || given[0].startsWith('-');
const args =
  isOption && !given.some((arg) => ['--help', '-h', '--version', '-v'].includes(arg)) ? ['run', ...given] : given;
if (args[0] === 'run') stages.begin('starting', 'the controller');
const server = spawn(node, [main, ...args], { cwd: root, env, stdio: 'inherit', shell: process.platform === 'win32' });

// A supervisor or container sends a signal only to this process, so pass it on to the server. From a terminal the
// server receives the signal twice, which does no harm.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => server.kill(signal));

server.on('error', (error) => {
  console.error(error.message);
  process.exit(1);
});
server.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
