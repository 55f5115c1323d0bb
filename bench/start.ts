// How long a start takes until the controller is ready, on data that exists already.
// Usage: node --conditions=source start.ts [rounds=15] [another checkout to compare with, installed and built]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const rounds = Number(process.argv[2] ?? 15);
const [, , , otherCheckout] = process.argv;
/** What `/proc` counts CPU time in: 1/100 s on every Linux that Node runs on. */
const tick = 10;
const work = mkdtempSync(join(tmpdir(), 'edge-bench-'));

interface Program {
  readonly name: string;
  readonly args: readonly string[];
  readonly dataDir: string;
}

interface Start {
  /** Milliseconds from spawn to the ready line. */
  readonly wall: number;
  /** Milliseconds of all threads up to the ready line; `NaN` without `/proc`. */
  readonly cpu: number;
}

const serverOf = (checkout: string) => join(resolve(checkout), 'packages/server');

function spawnProgram({ args, dataDir }: Pick<Program, 'args' | 'dataDir'>) {
  const env = { PATH: process.env.PATH ?? '', EDGE_PORT: '0', EDGE_LOG_LEVEL: 'warn', EDGE_DATA_DIR: dataDir };
  return spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
}

/** The controller of a checkout, with data that it made itself. */
async function controllerOf(name: string, checkout: string): Promise<Program> {
  const main = join(serverOf(checkout), 'dist/main.js');
  if (!existsSync(main)) throw new Error(`${main} is missing: run "npm run build" there`);
  const dataDir = join(work, name.replaceAll(' ', '-'));
  const [code] = await once(
    spawnProgram({ args: [main, 'init'], dataDir }).on('error', () => undefined),
    'exit',
  );
  if (code !== 0) throw new Error(`init of ${name} ended with ${code}`);
  return { name, args: [main], dataDir };
}

async function start(program: Program): Promise<Start> {
  const startedAt = performance.now();
  const child = spawnProgram(program);
  const exited = once(child, 'exit');
  try {
    let text = '';
    for await (const chunk of child.stdout) {
      text += chunk;
      if (text.includes('listening on')) return { wall: performance.now() - startedAt, cpu: cpuOf(child.pid) };
    }
    throw new Error(`${program.name} ended before it was ready`);
  } finally {
    child.kill('SIGTERM');
    await exited;
  }
}

function cpuOf(pid: number | undefined): number {
  try {
    // The name of the process, in parentheses, may hold blanks; user and system time are the 12th and 13th fields after it.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) * tick;
  } catch {
    return Number.NaN;
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

try {
  const here = join(import.meta.dirname, '..');
  const ours = await controllerOf('this checkout', here);
  const bareArgs = [join(import.meta.dirname, 'bare-start.mjs'), serverOf(here), ours.dataDir];
  const other = otherCheckout
    ? await controllerOf('other checkout', otherCheckout)
    : { name: 'bare Koa, HTTPS, SQLite', args: bareArgs, dataDir: ours.dataDir };
  const measured = [ours, other].map((program) => ({ program, starts: [] as Start[] }));
  // Not counted: the first one fills the caches.
  for (const { program } of measured) await start(program);
  // In turns: a machine that slows down in between must not decide.
  for (let round = 0; round < rounds; round += 1) {
    for (const { program, starts } of measured) starts.push(await start(program));
  }
  const rows = measured.map(({ program, starts }) => ({
    name: program.name,
    wall: median(starts.map(({ wall }) => wall)),
    cpu: median(starts.map(({ cpu }) => cpu)),
  }));
  process.stdout.write(`start to ready on existing data, medians of ${rounds} rounds\n`);
  for (const { name, wall, cpu } of rows) {
    process.stdout.write(
      `${name.padEnd(26)} ${wall.toFixed(0).padStart(5)} ms  ${cpu.toFixed(0).padStart(5)} ms CPU\n`,
    );
  }
  const [{ wall = 0, cpu = 0 } = {}, base = { wall: 1, cpu: 1 }] = rows;
  process.stdout.write(`ratio ${(wall / base.wall).toFixed(2)}, of CPU ${(cpu / base.cpu).toFixed(2)}\n`);
} finally {
  rmSync(work, { recursive: true, force: true });
}
