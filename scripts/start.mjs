import { join } from 'node:path';
import { become, bootstrap, build, root, stages } from './bootstrap.mjs';

await bootstrap();
// The example in README.md needs the SDK.
await build(['server', 'sdk']);

const main = join('packages', 'server', 'dist', 'main.js');
const given = process.argv.slice(2);
const isOption = given[0] === undefined || given[0].startsWith('-');
const args =
  isOption && !given.some((arg) => ['--help', '-h', '--version', '-v'].includes(arg)) ? ['run', ...given] : given;
if (args[0] === 'run') stages.begin('starting', 'the controller');
become([main, ...args], root);
