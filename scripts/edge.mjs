import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { become, bootstrap, build, root } from './bootstrap.mjs';

// Runs the command line from a clone: npm run --silent edge -- identities list.
const program = join(root, 'packages', 'cli', 'dist', 'bin.js');

/** @type {(folder: string) => number} */
function lastChange(folder) {
  const times = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map(
    (name) => statSync(join(folder, name)).mtimeMs,
  );
  return Math.max(...times);
}

function isBuilt() {
  if (!existsSync(program)) return false;
  const sources = ['cli', 'operation-tables', 'sdk'].map((name) => join(root, 'packages', name, 'src'));
  return Math.max(...sources.map(lastChange)) < statSync(program).mtimeMs;
}

await bootstrap();
// Turbo would take a second at each command.
if (!isBuilt()) await build(['cli']);
// npm changes to the root. A path of an option is relative to the folder of the caller.
become([program, ...process.argv.slice(2)], process.env.INIT_CWD);
