import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shell } from './shell.ts';

const ROUNDS = 7;

/**
 * Milliseconds of the first import in a new process of this Node, one for each directory: the median of rounds that take
 * turns, so that a slow machine is slow for all. `null` when the import fails.
 */
export async function importTimes(imports: ReadonlyMap<string, string>): Promise<Map<string, number | null>> {
  const times = new Map([...imports.keys()].map((directory) => [directory, [] as number[]]));
  for (const [directory, code] of imports) writeFileSync(fileIn(directory), program(code));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [directory, values] of times) values.push(await importOnce(directory));
  }
  return new Map([...times].map(([directory, values]) => [directory, median(values)]));
}

const fileIn = (directory: string) => join(directory, 'import.mjs');

/** Some packages keep the process alive: it ends itself, after a synchronous write. */
function program(code: string): string {
  return [
    "import { writeSync } from 'node:fs';",
    'const from = performance.now();',
    `await import('${/from '([^']+)'/.exec(code)?.[1]}');`,
    'writeSync(1, String(performance.now() - from));',
    'process.exit();',
  ].join('\n');
}

async function importOnce(directory: string): Promise<number> {
  try {
    return Number(await shell(directory, [process.execPath, fileIn(directory)]));
  } catch {
    return Number.NaN;
  }
}

function median(values: readonly number[]): number | null {
  if (values.some(Number.isNaN)) return null;
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? null;
}
