import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { bootstrap, node, root, run } from './bootstrap.mjs';

// Writes every generated file; with --check writes nothing and fails when one is out of date.
bootstrap();
const generators = ['generate-docs.mjs', 'generate-sdk-operations.mjs', 'generate-sdk-operations.ts'];
let failed = false;
for (const generator of generators) {
  const file = join('scripts', generator);
  if (!existsSync(join(root, file))) continue;
  const { code } = await run(node, ['--conditions=source', file, ...process.argv.slice(2)], { show: true });
  if (code !== 0) failed = true;
}
if (failed && process.argv.includes('--check')) console.error('run `npm run generate` and commit what it writes');
process.exit(failed ? 1 : 0);
