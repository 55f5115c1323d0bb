import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { HttpResponse } from './call.ts';
import { call, signIn } from './call.ts';
import type { Child, Processes } from './processes.ts';

/** A server under load. */
export interface Server {
  readonly url: string;
  /** A session token that it accepts. */
  readonly token: string;
  /** `host:port` for edge routers. Without it, it takes none. */
  readonly routers?: string;
  /** Microseconds of CPU time that its process has used. */
  cpu(): Promise<number>;
  /** Megabytes of memory that its process had at most so far. */
  peakMemory(): Promise<number>;
}

/** The servers that rows share. Each is started by the first row that asks for it. */
export interface Servers {
  sqlite(): Promise<Server>;
  redis(): Promise<Server>;
  /** The baseline: a bare Koa that responds as the controller on Redis does to a GET of this path. */
  bare(path: string): Promise<Server>;
}

export interface ControllerOptions {
  /** Where it keeps its files, below the directory of the processes. */
  readonly name: string;
  /** URL; without it the sessions are in SQLite. */
  readonly redis?: string;
  /** URL of a PostgreSQL database; without it the entities are in SQLite. */
  readonly database?: string;
  /** Whether acts have entries in the audit log. Default: yes. */
  readonly audit?: boolean;
  /** Directory with the files of the web console. Without it, it serves none. */
  readonly console?: string;
  /** Whether edge routers can connect. Default: no. */
  readonly routers?: boolean;
  /** Whether it counts what it does. Default: no. */
  readonly metrics?: boolean;
  /** Where it sends traces to, and the share of the requests. Default: it sends none. */
  readonly traces?: { readonly url: string; readonly ratio: number };
  /** A checkout of this repository; default: this one. */
  readonly checkout?: string;
  /** A module that is loaded before it. */
  readonly preload?: string;
}

export function createServers(processes: Processes): Servers {
  const redisUrl = once(() => processes.startRedis());
  const redis = once(async () => startController(processes, { name: 'redis', redis: await redisUrl() }));
  const bare = new Map<string, Promise<Server>>();
  return {
    sqlite: once(() => startController(processes, { name: 'sqlite' })),
    redis,
    bare(path) {
      const started = bare.get(path) ?? startBare(processes, { path, like: redis(), redisUrl: redisUrl() });
      bare.set(path, started);
      return started;
    },
  };
}

/** Starts the controller of a checkout and signs in. */
export async function startController(processes: Processes, options: ControllerOptions): Promise<Server> {
  const child = await startProcess(processes, options);
  return serverOf(child, child.ready);
}

/**
 * Starts controllers that share one process, in the order of their options. One process may be slower than another for its whole
 * life, by more than what a row asks for. `cpu` of each is that of the process: put only one of them under load at a time.
 */
export async function startTogether(
  processes: Processes,
  [first, ...others]: readonly ControllerOptions[],
): Promise<Server[]> {
  if (!first) return [];
  const child = await startProcess(processes, first);
  const servers = [await serverOf(child, child.ready)];
  for (const options of others) servers.push(await serverOf(child, await child.ask(environmentOf(processes, options))));
  return servers;
}

async function startProcess(processes: Processes, options: ControllerOptions): Promise<Child> {
  const { checkout = join(import.meta.dirname, '..'), preload = '' } = options;
  const file = join(checkout, 'bench/controller.ts');
  if (!existsSync(file)) throw new Error(`${file} does not exist`);
  return processes.start(file, { ...environmentOf(processes, options), BENCH_PRELOAD: preload });
}

/** What `controller.ts` reads. */
function environmentOf({ directory }: Processes, options: ControllerOptions): Record<string, string> {
  const { name, redis, database, audit = true, console, routers = false, metrics = false, traces } = options;
  return {
    BENCH_DATA: join(directory, name),
    ...(redis && { BENCH_REDIS: redis }),
    ...(database && { BENCH_DATABASE: database }),
    ...(!audit && { BENCH_AUDIT: 'off' }),
    ...(console && { BENCH_CONSOLE: console }),
    ...(routers && { BENCH_ROUTERS: '127.0.0.1:0' }),
    ...(metrics && { BENCH_OPERATIONS: '127.0.0.1:0' }),
    ...(traces && { BENCH_TRACES: traces.url, BENCH_TRACES_RATIO: String(traces.ratio) }),
  };
}

interface BareOptions {
  readonly path: string;
  readonly like: Promise<Server>;
  readonly redisUrl: Promise<string>;
}

async function startBare(processes: Processes, { path, like, redisUrl }: BareOptions): Promise<Server> {
  const { url, token } = await like;
  const wanted = await call(url + path, { token });
  const pki = join(processes.directory, 'redis/pki');
  const child = await processes.start(join(import.meta.dirname, 'bare.ts'), {
    BENCH_REDIS: await redisUrl,
    BENCH_TOKEN: token,
    BENCH_BODY: wanted.text,
    BENCH_HEADERS: JSON.stringify(ownHeaders(wanted)),
    BENCH_KEY: join(pki, 'server.key'),
    BENCH_CERT: join(pki, 'server.pem'),
  });
  const bare = await serverOf(child, child.ready, token);
  const got = await call(bare.url + path, { token });
  const isSame = got.text === wanted.text && JSON.stringify(sorted(got)) === JSON.stringify(sorted(wanted));
  if (!isSame) throw new Error(`the baseline sends other headers or bytes: ${JSON.stringify([wanted, got])}`);
  return bare;
}

/** @param said what its process said of it when it was ready */
async function serverOf(child: Child, said: unknown, token?: string): Promise<Server> {
  const { url, routers } = said as Pick<Server, 'url' | 'routers'>;
  return {
    url,
    ...(routers && { routers }),
    token: token ?? (await signIn(url)),
    async cpu() {
      const { cpu } = (await child.ask('cpu')) as { cpu: NodeJS.CpuUsage };
      return cpu.user + cpu.system;
    },
    async peakMemory() {
      const { peak } = (await child.ask('cpu')) as { peak: number };
      return peak / 1_000;
    },
  };
}

const madeByNode = ['date', 'connection', 'keep-alive', 'content-length'];

/** The headers that the application chose, name and value. */
export function ownHeaders({ rawHeaders }: HttpResponse): Record<string, string> {
  const pairs = rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? '']] : []));
  return Object.fromEntries(pairs.filter(([name = '']) => !madeByNode.includes(name.toLowerCase())));
}

function sorted(response: HttpResponse): [string, string][] {
  return Object.entries(ownHeaders(response)).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}
