// Prints the files of ours that four requests pass, by V8 coverage, the order in which they enter them, and how often the folder
// changes. Usage: node --conditions=source request-path.ts [--redis] [--check]
// With --check it prints the figures alone, and fails when one is above its limit.
import type { Profiler } from 'node:inspector/promises';
import { Session } from 'node:inspector/promises';
import { basename, dirname, join, relative } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { call, credentials, sessionPath, signIn, signInPath } from './call.ts';
import { createProcesses } from './processes.ts';
import type { Visit } from './trace-visits.ts';
import { traceVisits } from './trace-visits.ts';

/** A request, and how often it is sent before and while it is measured. */
interface Walk {
  readonly name: keyof typeof limits;
  readonly warmUp: number;
  readonly requests: number;
  readonly send: () => Promise<unknown>;
}

interface Passed {
  functions: number;
  calls: number;
}

const { values } = parseArgs({ options: { redis: { type: 'boolean' }, check: { type: 'boolean' } } });
/** What `npm run check` allows on SQLite: a little above what was reached. */
const limits = {
  'session check': { files: 39, changes: 52 },
  'current identity': { files: 55, changes: 136 },
  'password sign-in': { files: 90, changes: 186 },
  dial: { files: 59, changes: 99 },
};
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
  signInRate: 0,
  log: createLogger({ level: 'warn' }),
});
try {
  const { port } = await controller.listen();
  for (const walk of await walksOf(`https://127.0.0.1:${port}`)) await measure(walk);
} finally {
  await controller.close();
}

async function walksOf(url: string): Promise<Walk[]> {
  const token = await signIn(url);
  const body = JSON.stringify({ serviceId: await addService(url, token) });
  const often = { warmUp: 500, requests: 300 };
  return [
    { name: 'session check', ...often, send: () => call(url + sessionPath, { token }) },
    { name: 'current identity', ...often, send: () => call(`${url}/edge/client/v1/current-identity`, { token }) },
    // A hash takes its time.
    {
      name: 'password sign-in',
      ...{ warmUp: 20, requests: 30 },
      send: () => call(url + signInPath, { body: credentials }),
    },
    { name: 'dial', ...often, send: () => call(`${url}/edge/client/v1/sessions`, { token, body }) },
  ];
}

/** Adds a service that everybody may dial through an edge router. Resolves to its id. */
async function addService(url: string, token: string): Promise<string> {
  const add = async (path: string, body: object): Promise<string> => {
    const { text } = await call(`${url}/edge/management/v1${path}`, { token, body: JSON.stringify(body) });
    return JSON.parse(text).data.id;
  };
  const policy = { name: 'all', semantic: 'AnyOf' };
  await add('/edge-routers', { name: 'router' });
  await add('/edge-router-policies', { ...policy, edgeRouterRoles: ['#all'], identityRoles: ['#all'] });
  await add('/service-edge-router-policies', { ...policy, edgeRouterRoles: ['#all'], serviceRoles: ['#all'] });
  await add('/service-policies', { ...policy, type: 'Dial', identityRoles: ['#all'], serviceRoles: ['#all'] });
  return add('/services', { name: 'service', encryptionRequired: true });
}

async function measure(walk: Walk): Promise<void> {
  await visitsOf(walk, walk.warmUp);
  // Taking the coverage starts the counters again.
  await inspector.post('Profiler.takePreciseCoverage');
  const ways = await visitsOf(walk, walk.requests);
  const { result } = await inspector.post('Profiler.takePreciseCoverage');
  const passed = passedFiles(result, walk.requests);
  const way = withoutRepeats(mostCommon(ways));
  const changes = way.filter(({ name }, at) => at > 0 && dirname(name) !== dirname(way[at - 1]?.name ?? '')).length;
  say(`${walk.name} on ${values.redis ? 'Redis' : 'SQLite'}: ${passed.size} files, ${changes} changes of folder`);
  if (!values.check) return print(walk, passed, way);
  const limit = limits[walk.name];
  if (passed.size <= limit.files && changes <= limit.changes) return;
  say(`  more than ${limit.files} files or ${limit.changes} changes of folder`);
  process.exitCode = 1;
}

/** What each of some requests in sequence visits. */
async function visitsOf({ send }: Walk, count: number): Promise<Visit[][]> {
  const ways: Visit[][] = [];
  for (let sent = 0; sent < count; sent += 1) {
    visits.length = 0;
    await send();
    // What runs after the response is part of the path.
    await setImmediate();
    ways.push([...visits]);
  }
  return ways;
}

/** By file. Only functions that ran as often as there were requests count: timers and sweeps do not. */
function passedFiles(coverage: readonly Profiler.ScriptCoverage[], requests: number): Map<string, Passed> {
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

/** Several entries into one file, one after the other, are one visit. */
function withoutRepeats(way: readonly Visit[]) {
  return way
    .map(({ file, kind }) => ({ name: nameOf(file), kind }))
    .filter(({ name }, index, all) => name !== all[index - 1]?.name);
}

function print(
  { requests }: Walk,
  passed: ReadonlyMap<string, Passed>,
  visited: ReturnType<typeof withoutRepeats>,
): void {
  const of = (name: string) => visited.filter((visit) => visit.name === name);
  const names = [...new Set([...visited.map(({ name }) => name), ...passed.keys()])];
  say(`${''.padEnd(62)}functions  runs/request  visits  of these after an await`);
  for (const name of names) {
    const { functions, calls } = passed.get(name) ?? { functions: 0, calls: 0 };
    const resumed = of(name).filter(({ kind }) => kind === 'resumed').length;
    const [runs, count] = [Math.round(calls / requests), of(name).length];
    say(
      `  ${name.padEnd(60)}${cell(functions, 9)}${cell(runs, 14)}${cell(count, 8)}${cell(resumed || '', 10)}`.trimEnd(),
    );
  }
  const again = names.filter((name) => of(name).length > 1);
  say(`${visited.length} visits; ${again.length} files are visited again after others: ${again.map(short).join(', ')}`);
  say(visited.map(({ name, kind }) => (kind === 'resumed' ? `(${short(name)})` : short(name))).join(' > '));
}

function cell(value: number | string, width: number): string {
  return String(value).padStart(width);
}

function short(name: string): string {
  return basename(name, '.ts');
}
