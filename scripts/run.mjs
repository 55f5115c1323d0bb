// Installs the dependencies, then runs a program of this folder with the installed Node: node scripts/run.mjs check [arguments]
import { join } from 'node:path';
import { become, bootstrap, root } from './bootstrap.mjs';

const [name, ...args] = process.argv.slice(2);
await bootstrap();
become([join(root, 'scripts', `${name}.ts`), ...args]);
