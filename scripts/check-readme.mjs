import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { node, root, run } from './bootstrap.mjs';

/** Runs the first JavaScript block of README.md, exactly as printed, against the controller in `target`. */
export function runReadmeExample(target, timeout) {
  const block = /^```js\n([\s\S]*?)^```/m.exec(readFileSync(join(root, 'README.md'), 'utf8'));
  if (!block) return Promise.resolve({ code: 1, output: 'README.md holds no js block' });
  // Resolves the SDK as a file in the root directory does, and is ignored by git.
  const directory = join(root, 'node_modules', '.cache');
  mkdirSync(directory, { recursive: true });
  const file = join(directory, 'readme-example.mjs');
  writeFileSync(file, block[1]);
  return run(node, [file], { extraEnv: target, timeout });
}
