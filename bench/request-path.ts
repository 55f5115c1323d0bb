// Prints the files of ours that a session check passes, by V8 coverage, and the order in which it enters them.
// Usage: node --conditions=source request-path.ts [--redis] [--at-most 24]
import type { Profiler } from 'node:inspector/promises';
import { Session } from 'node:inspector/promises';
import { basename, join, relative } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { call, sessionPath, signIn } from './call.ts';
import { createProcesses } from './processes.ts';
import type { Visit } from './trace-visits.ts';
import { traceVisits } from './trace-visits.ts';

const { values } = parseArgs({ options: { redis: { type: 'boolean' }, 'at-most': { type: 'string' } } });
const warmUp = 2_000;
const requests = 1_000;
const packages = join(import.meta.dirname, '../packages');
const isOurs = (url: string) => /\/packages\/[^/]+\/src\//.test(url);
const nameOf = (file: string) => relative(packages, file).replace('/src/', '/');
const say = (line: string) => process.stdout.write(`${line}\n`);

const visits = traceVisits(isOurs);
const inspector = new Session();
inspector.connect();
await inspector.post('Profiler.enable');
// Whole functions: by blocks, V8 leaves out functions that have none. A resumed function counts as called.
await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
// Loaded from here on, so that both see it.
const { createController, createLogger } = await import('@edge-controller/server');

await using processes = createProcesses();
const controller = await createController({
  port: 0,
  dataDir: processes.directory,
  adminPassword: 'a password of the admin',
  redisUrl: values.redis ? await processes.startRedis() : null,
  log: createLogger({ level: 'warn' }),
});
try {
  const { port } = await controller.listen();
  const url = `https://127.0.0.1:${port}`;
  const token = await signIn(url);
  await visitsOf(warmUp, url, token);
  // Taking the coverage starts the counters again.
  await inspector.post('Profiler.takePreciseCoverage');
  const ways = await visitsOf(requests, url, token);
  const { result } = await inspector.post('Profiler.takePreciseCoverage');
  print(passedFiles(result), mostCommon(ways));
} finally {
  await controller.close();
}

/** What each of some requests in sequence visits. */
async function visitsOf(count: number, url: string, token: string): Promise<Visit[][]> {
  const ways: Visit[][] = [];
  for (let sent = 0; sent < count; sent += 1) {
    visits.length = 0;
    await call(url + sessionPath, { token });
    // What runs after the response is part of the path.
    await setImmediate();
    ways.push([...visits]);
  }
  return ways;
}

interface Passed {
  functions: number;
  calls: number;
}

/** By file. Only functions that ran as often as there were requests count: timers and sweeps do not. */
function passedFiles(coverage: readonly Profiler.ScriptCoverage[]): Map<string, Passed> {
  const files = new Map<string, Passed>();
  for (const { url, functions } of coverage) {
    if (!isOurs(url)) continue;
    const counts = functions.map(({ ranges }) => ranges[0]?.count ?? 0).filter((count) => count >= requests);
    if (counts.length === 0) continue;
    files.set(nameOf(fileURLToPath(url)), {
      functions: counts.length,
      calls: counts.reduce((sum, count) => sum + count, 0),
    });
  }
  return files;
}

/** A timer may fire in the middle of a request; it does not in most of them. */
function mostCommon(ways: readonly Visit[][]): Visit[] {
  const groups = Map.groupBy(ways, (way) => JSON.stringify(way));
  const [largest = []] = [...groups.values()].toSorted((a, b) => b.length - a.length);
  return largest[0] ?? [];
}

function print(passed: ReadonlyMap<string, Passed>, way: readonly Visit[]): void {
  const visited = way
    .map(({ file, kind }) => ({ name: nameOf(file), kind }))
    .filter(({ name }, index, all) => name !== all[index - 1]?.name);
  const of = (name: string) => visited.filter((visit) => visit.name === name);
  const names = [...new Set([...visited.map(({ name }) => name), ...passed.keys()])];
  say(`a session check on ${values.redis ? 'Redis' : 'SQLite'} passes ${passed.size} files of ours`);
  say(`${''.padEnd(46)}functions  runs/request  visits  of these after an await`);
  for (const name of names) {
    const { functions, calls } = passed.get(name) ?? { functions: 0, calls: 0 };
    const resumed = of(name).filter(({ kind }) => kind === 'resumed').length;
    const [runs, visits] = [Math.round(calls / requests), of(name).length];
    say(
      `  ${name.padEnd(44)}${cell(functions, 9)}${cell(runs, 14)}${cell(visits, 8)}${cell(resumed || '', 10)}`.trimEnd(),
    );
  }
  const again = names.filter((name) => of(name).length > 1);
  say(`${visited.length} visits; ${again.length} files are visited again after others: ${again.map(short).join(', ')}`);
  say(visited.map(({ name, kind }) => (kind === 'resumed' ? `(${short(name)})` : short(name))).join(' > '));
  const limit = Number(values['at-most'] ?? Number.POSITIVE_INFINITY);
  if (passed.size <= limit) return;
  say(`more than ${values['at-most']} files`);
  process.exitCode = 1;
}

function cell(value: number | string, width: number): string {
  return String(value).padStart(width);
}

function short(name: string): string {
  return basename(name, '.ts');
}
