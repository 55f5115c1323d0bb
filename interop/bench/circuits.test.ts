import { spawn } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { credentials } from '../../bench/call.ts';
import type { Child, Processes } from '../../bench/processes.ts';
import { createProcesses } from '../../bench/processes.ts';
import type { Contest } from '../../bench/rounds.ts';
import { inRounds } from '../../bench/rounds.ts';
import type { Done, Order } from '../../bench/router/order.ts';
import { startController } from '../../bench/servers.ts';
import { printTable } from '../../bench/table.ts';
import { programs } from '../test/support/built.ts';
import { freePorts } from '../test/support/free-port.ts';

const duration = { rounds: 5, seconds: 3 };
const startTime = 60_000;
/** Microseconds of one tick of `/proc/<pid>/stat`. */
const tick = 10_000;
const routerProcess = join(import.meta.dirname, '../../bench/router/router.ts');

interface Measured {
  readonly name: string;
  /** A router of this controller, as another process: the same one for both controllers. */
  readonly router: Child;
  /** Microseconds of CPU time that the controller has used. */
  cpu(): number | Promise<number>;
}

let processes: Processes;
const controllers: Measured[] = [];

beforeAll(async () => {
  processes = createProcesses();
  controllers.push(await startOriginal(), await startOwn());
});
afterAll(() => processes[Symbol.asyncDispose]());

async function startOwn(): Promise<Measured> {
  const server = await startController(processes, { name: 'own', routers: true });
  const router = await processes.start(routerProcess, {
    BENCH_URL: server.url,
    BENCH_CA: join(processes.directory, 'own/pki/ca.pem'),
    BENCH_ROUTERS: server.routers ?? '',
  });
  return { name: 'this controller', router, cpu: () => server.cpu() };
}

/** The controller of the open-source network, in its own setup for trying it, without a router. */
async function startOriginal(): Promise<Measured> {
  const home = join(processes.directory, 'original');
  mkdirSync(home);
  const [port = 0] = await freePorts(1);
  const { username, password } = JSON.parse(credentials);
  const at = ['--ctrl-address', '127.0.0.1', '--ctrl-port', String(port), '--no-router'];
  const args = ['edge', 'quickstart', '--home', home, ...at, '-u', username, '-p', password];
  const child = spawn(programs.ziti, args, { cwd: home, stdio: ['ignore', 'pipe', 'ignore'] });
  afterAll(() => child.kill('SIGKILL'));
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  for (const end = performance.now() + startTime; !said.includes('located at'); await sleep(100))
    if (performance.now() > end) throw new Error(`the original controller has not started\n${said.slice(-2_000)}`);
  const caFile = join(home, 'ca.pem');
  const certificates = globSync(join(home, 'pki/*/certs/*.cert'));
  writeFileSync(caFile, certificates.map((file) => readFileSync(file, 'utf8')).join('\n'));
  const router = await processes.start(routerProcess, {
    BENCH_URL: `https://127.0.0.1:${port}`,
    BENCH_CA: caFile,
    BENCH_ROUTERS: `127.0.0.1:${port}`,
    BENCH_SESSION_HEADER: 'zt-session',
  });
  const stat = `/proc/${child.pid}/stat`;
  // User and system time: fields 14 and 15, where the name in brackets is field 2.
  const cpu = () => {
    const fields = readFileSync(stat, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) * tick;
  };
  return { name: 'the original controller', router, cpu: existsSync(stat) ? cpu : () => Number.NaN };
}

function circuits(atOnce: number): Contest {
  const [first, ...others] = controllers.map(({ name, router, cpu }) => ({
    name,
    async measure(seconds: number) {
      const before = await cpu();
      const order: Order = { kind: 'circuits', atOnce, seconds };
      const done = (await router.ask(order)) as Done;
      expect(done.count).toBeGreaterThan(0);
      return { rate: done.count / done.seconds, cpu: ((await cpu()) - before) / done.count };
    },
  }));
  if (!first) throw new Error('no controller has started');
  return [first, ...others];
}

it.each([1, 32])('circuits through one router, %i at once', async (atOnce) => {
  printTable(
    `circuits, ${atOnce} at once: a dial of a hosted service and its end`,
    await inRounds(circuits(atOnce), duration),
  );
});
