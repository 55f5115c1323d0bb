// Runs after tsup, which writes all declarations twice, as `.d.ts` and as `.d.cts`. A module may import from a `.d.cts` file, so
// what the entries share is there only. It makes the package smaller, and the types of both kinds the same.
import { copyFileSync, readdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const dist = fileURLToPath(new URL('dist/', import.meta.url));
const files = readdirSync(dist);
for (const file of files.filter((name) => name.endsWith('.d.ts'))) {
  const name = file.slice(0, -'.d.ts'.length);
  if (files.includes(`${name}.cjs`)) copyFileSync(`${dist}${name}.d.cts`, dist + file);
  else rmSync(dist + file);
}
