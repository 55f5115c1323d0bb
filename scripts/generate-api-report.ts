// Writes packages/<package>/api/<entry>.api.md for every entry: node <this file> [--check]
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './bootstrap.mjs';
import { reportOf } from './surface/report.ts';
import { surfaceOf } from './surface/surface.ts';

const check = process.argv.includes('--check');

for (const name of ['sdk', 'server']) {
  const folder = join(root, 'packages', name, 'api');
  const surface = surfaceOf(name);
  const reports = new Map(surface.entries.map((entry) => [`${entry.key}.api.md`, reportOf(surface, entry)]));
  const files = existsSync(folder) ? readdirSync(folder) : [];
  for (const file of new Set([...files, ...reports.keys()])) replace(join(folder, file), reports.get(file));
}

function replace(file: string, text: string | undefined) {
  const current = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  if (current === text) return;
  if (check) {
    console.error(`${file.slice(root.length)} is out of date`);
    process.exitCode = 1;
  } else if (text === undefined) {
    rmSync(file);
  } else {
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, text);
  }
}
