import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Done } from './bootstrap.mjs';
import { node, root, run } from './bootstrap.mjs';

/** Runs the first JavaScript block of README.md, unchanged, against the controller in `target`. */
export async function runReadmeExample(target: Record<string, string>, timeout: number): Promise<Done> {
  const [, block] = /^```js\n([\s\S]*?)^```/m.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? [];
  if (!block) return { code: 1, output: 'README.md has no js block' };
  // In this directory Node resolves the SDK as in the root directory, and git ignores the file.
  const directory = join(root, 'node_modules', '.cache');
  mkdirSync(directory, { recursive: true });
  const file = join(directory, 'readme-example.mjs');
  writeFileSync(file, block);
  return run(node, [file], { extraEnv: target, timeout });
}
