import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '../bootstrap.mjs';

/** Writes generated files: path → function that returns the text. With --check it writes nothing and fails instead. */
export async function writeFiles(files: Readonly<Record<string, () => string | Promise<string>>>) {
  for (const [path, make] of Object.entries(files)) {
    const file = join(root, path);
    const content = await make();
    const current = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
    if (current === content) continue;
    if (process.argv.includes('--check')) {
      console.error(`${path} is out of date`);
      process.exitCode = 1;
      continue;
    }
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    console.log(`wrote ${path}`);
  }
}
