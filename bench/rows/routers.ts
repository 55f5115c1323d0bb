import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSealer } from '../../packages/server/src/core/secrets/sealer.ts';
import { sessionPath } from '../call.ts';
import { copyRows } from '../copy-rows.ts';
import type { Child } from '../processes.ts';
import type { Contender, Figures, Result } from '../rounds.ts';
import { inRounds, median } from '../rounds.ts';
import type { Done, Order, Removal, Removals, Syncs } from '../router/order.ts';
import type { Bench, Row } from '../row.ts';
import type { Server } from '../servers.ts';
import { startController } from '../servers.ts';
import { printTable } from '../table.ts';
import { underLoad } from '../under-load.ts';

const sessions = 10_000;
/** Session checks per second beside something else. */
const checkRate = 400;
/** As routers send them after a session was lost. */
const bindRate = 10_000;
const removals = 30;

/** What edge routers cost the controller, and how soon they hear of a change. */
export const routers: Row = async (bench) => {
  const routed = await startRouted(bench, 'routers');
  await measureCircuits(bench, routed);
  await measureBinds(bench, routed);
  await measureRemovals(bench, routed);
  await measureSyncs(bench, routed);
};

/** A controller, and a router of it as another process. */
interface Routed {
  readonly server: Server;
  readonly router: Child;
  readonly folder: string;
}

async function startRouted({ processes }: Bench, name: string): Promise<Routed> {
  const server = await startController(processes, { name, routers: true });
  const folder = join(processes.directory, name);
  const router = await processes.start(join(import.meta.dirname, '../router/router.ts'), {
    BENCH_URL: server.url,
    BENCH_CA: join(folder, 'pki/ca.pem'),
    BENCH_ROUTERS: server.routers ?? '',
  });
  return { server, router, folder };
}

function ask<Answer = Done>({ router }: Routed, order: Order): Promise<Answer> {
  return router.ask(order) as Promise<Answer>;
}

/** What the router does as often as it can. */
function work(name: string, routed: Routed, order: (seconds: number) => Order): Contender {
  return {
    name,
    async measure(duration): Promise<Figures> {
      const before = await routed.server.cpu();
      const { count, seconds } = await ask(routed, order(duration));
      return { rate: count / seconds, cpu: ((await routed.server.cpu()) - before) / count };
    },
  };
}

function sessionChecks({ server }: Routed): Contender {
  const { name, measure } = underLoad('a session check', server, { path: sessionPath, connections: 32 });
  return { name, measure: async (seconds) => omitP99(await measure(seconds)) };
}

function omitP99({ rate = Number.NaN, cpu = Number.NaN }: Figures): Figures {
  return { rate, cpu };
}

async function measureCircuits(bench: Bench, routed: Routed): Promise<void> {
  const circuits =
    (atOnce: number) =>
    (seconds: number): Order => ({ kind: 'circuits', atOnce, seconds });
  const results = await inRounds(
    [
      sessionChecks(routed),
      work('a circuit, one after the other', routed, circuits(1)),
      work('a circuit, 32 at once', routed, circuits(32)),
    ],
    bench,
  );
  printTable('circuits through one router: a dial of a hosted service and its end', results);
}

async function measureBinds(bench: Bench, routed: Routed): Promise<void> {
  const binds =
    (sessions: 'one' | 'many') =>
    (seconds: number): Order => ({
      ...{ kind: 'binds', rate: null, seconds },
      sessions,
    });
  const results = await inRounds(
    [
      sessionChecks(routed),
      work('a bind in a session that has ended', routed, binds('one')),
      work('a bind in another unknown session each time', routed, binds('many')),
    ],
    bench,
  );
  printTable('binds that are refused', results);
  const checks = await startChecks(bench, routed);
  const storm =
    (sessions: 'one' | 'many') =>
    (seconds: number): Order => ({
      ...{ kind: 'binds', rate: bindRate, seconds },
      sessions,
    });
  printTable(
    `session checks at ${checkRate} a second, beside refused binds`,
    await inRounds(
      [
        { name: 'idle', measure: checks },
        beside(`${bindRate} a second, of one session`, { checks, routed, order: storm('one') }),
        beside(`${bindRate} a second, of many sessions`, { checks, routed, order: storm('many') }),
      ],
      bench,
    ),
  );
}

async function measureRemovals({ rounds }: Bench, routed: Routed): Promise<void> {
  const measured: Removals[] = [];
  const order = { kind: 'removals', count: removals } as const;
  await ask(routed, order);
  for (let round = 0; round < rounds; round += 1) measured.push(await ask<Removals>(routed, order));
  const result = (name: string, times: (of: Removals) => readonly number[]): Result => ({
    name,
    rounds: measured.map((each) => ({ time: median(times(each)), longest: Math.max(...times(each)) })),
  });
  const responseOf = ({ response }: Removal) => response;
  const frameOf = ({ frame }: Removal) => frame;
  printTable('from a request until its response, and until the router has the frame', [
    result('a session check', ({ checks }) => checks),
    result('DELETE of a session of a service: response', ({ session }) => session.map(responseOf)),
    result('the same: frame', ({ session }) => session.map(frameOf)),
    result('DELETE of an API session: response', ({ apiSession }) => apiSession.map(responseOf)),
    result('the same: frame', ({ apiSession }) => apiSession.map(frameOf)),
  ]);
  for (const [name, kind] of [
    ['session of a service', 'session'],
    ['API session', 'apiSession'],
  ] as const) {
    const after = measured.flatMap((each) => each[kind].map(({ response, frame }) => frame - response));
    say(`the frame after the response, ${name}: median ${ms(median(after))}, at most ${ms(Math.max(...after))}`);
  }
}

async function measureSyncs(bench: Bench, few: Routed): Promise<void> {
  const many = await startRouted(bench, 'routers-many');
  fill(many);
  const checks = await startChecks(bench, many);
  const syncs = (seconds: number): Order => ({ kind: 'syncs', seconds });
  const checked = checks(bench.seconds);
  const first = await ask<Syncs>(many, syncs(0));
  const { p99 = Number.NaN, longest = Number.NaN } = await checked;
  const [time = Number.NaN] = first.milliseconds;
  say(`\nthe first router, for which ${first.sessions} API sessions are read: it has all after ${ms(time)}`);
  say(
    `${(first.bytes / 1e6).toFixed(2)} MB in ${first.frames} frames; checks beside it: p99 ${ms(p99)}, at most ${ms(longest)}`,
  );
  const connects = (name: string, routed: Routed): Contender => ({
    name,
    async measure(seconds) {
      const before = await routed.server.cpu();
      const { milliseconds, count } = await ask<Syncs>(routed, syncs(seconds));
      return { time: median(milliseconds), cpu: ((await routed.server.cpu()) - before) / count };
    },
  });
  printTable(
    'a router connects, until it has all API sessions',
    await inRounds([connects('a few API sessions', few), connects(`${sessions} API sessions`, many)], bench),
  );
  printTable(
    `session checks at ${checkRate} a second, while routers connect`,
    await inRounds(
      [{ name: 'idle', measure: checks }, beside(`one router after the other`, { checks, routed: many, order: syncs })],
      bench,
    ),
  );
}

/** Copies of the API session of an application, each with one certificate. */
function fill({ folder }: Routed): void {
  const key = readFileSync(join(folder, 'keys/seal.key'), 'utf8');
  const sealer = createSealer(Buffer.from(key, 'base64'));
  const file = join(folder, 'sessions.db');
  const tokenHash = `printf('%064d', n)`;
  copyRows({
    ...{ file, table: 'sessions', count: sessions },
    like: 'tokenHash in (select tokenHash from certificates)',
    columns: { id: `'c' || n`, sealedToken: `seal('c' || n)`, tokenHash, usesRouters: '1' },
    // As long as a token of the controller.
    seal: (id) => sealer.seal(id.padStart(43, '0'), id),
  });
  copyRows({ file, table: 'certificates', count: sessions, columns: { id: `'certificate' || n`, tokenHash } });
}

type Measure = (seconds: number) => Promise<Figures>;

async function startChecks({ processes }: Bench, { server }: Routed): Promise<Measure> {
  const checks = await processes.start(join(import.meta.dirname, '../steady-checks.ts'));
  const { url, token } = server;
  return async (seconds) => {
    const order = { url: url + sessionPath, token, rate: checkRate, seconds };
    return (await checks.ask(order)) as Figures;
  };
}

function beside(
  name: string,
  { checks, routed, order }: { readonly checks: Measure; readonly routed: Routed; order(seconds: number): Order },
): Contender {
  return {
    name,
    async measure(seconds) {
      const working = ask(routed, order(seconds));
      const figures = await checks(seconds);
      await working;
      return figures;
    },
  };
}

const ms = (value: number) => `${value.toFixed(1)} ms`;

function say(line: string): void {
  process.stdout.write(`  ${line}\n`);
}
