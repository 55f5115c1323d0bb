import { execFile, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import autocannon from 'autocannon';

export interface Load {
  /** Requests per second. */
  readonly rate: number;
  /** How many got a response. */
  readonly requests: number;
  /** Milliseconds. */
  readonly p99: number;
}

/** Whether the load comes from `wrk`. The other generator is slower than the server. */
export const hasWrk = isOnPath('wrk');

export function isOnPath(program: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`]);
    return true;
  } catch {
    return false;
  }
}

export interface Work {
  readonly url: string;
  readonly seconds: number;
  readonly connections: number;
  readonly token?: string;
  /** Sent as `Authorization: Bearer`: the same with every request, or another one each time. */
  readonly jwt?: string | JwtFile;
  /** JSON to POST; without it `url` is read. Each request has another text in place of `[<id>]`. */
  readonly body?: string;
  /** A file whose lines are these texts, in turn. It needs `wrk`. */
  readonly ids?: string;
}

/** JWTs, one in each line. */
export interface JwtFile {
  readonly path: string;
  readonly count: number;
}

/** Where the next load begins in a file of JWTs, so that two loads do not send the same ones. */
let nextJwt = 0;
const jwtsOfLoad = 10_000;

/** Sends the same request for some seconds over keep-alive connections. Throws when a response is not 2xx. */
export async function load(work: Work): Promise<Load> {
  return hasWrk ? loadWithWrk(work) : loadWithAutocannon(work);
}

async function loadWithWrk({ url, seconds, connections, token, jwt, body, ids }: Work): Promise<Load> {
  const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '10s', '--latency'];
  if (token) args.push('-H', `svc-session: ${token}`);
  const env: NodeJS.ProcessEnv = { ...process.env, BENCH_BODY: body, ...(ids && { BENCH_IDS: ids }) };
  if (typeof jwt === 'string') args.push('-H', `authorization: Bearer ${jwt}`);
  else if (jwt) Object.assign(env, { BENCH_JWTS: jwt.path, BENCH_JWT: String(nextJwt % jwt.count) });
  nextJwt += jwtsOfLoad;
  if (body) args.push('-s', join(import.meta.dirname, 'post.lua'));
  const running = promisify(execFile)('wrk', [...args, url], { env });
  const stop = () => running.child.kill();
  process.once('exit', stop);
  const { stdout } = await running.finally(() => process.off('exit', stop));
  if (/Non-2xx/.test(stdout)) throw new Error(stdout);
  const [, rate] = /Requests\/sec:\s+([\d.]+)/.exec(stdout) ?? [];
  const [, requests] = /(\d+) requests in/.exec(stdout) ?? [];
  const [, p99, unit] = /99%\s+([\d.]+)(us|ms|s)/.exec(stdout) ?? [];
  const scale = { us: 0.001, ms: 1, s: 1_000 }[unit ?? 'ms'] ?? 1;
  return { rate: Number(rate), requests: Number(requests), p99: Number(p99) * scale };
}

async function loadWithAutocannon({ url, seconds, connections, token, jwt, body, ids }: Work): Promise<Load> {
  if (ids) throw new Error('this row needs wrk on PATH');
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    headers: {
      ...(token ? { 'svc-session': token } : {}),
      ...(jwt ? { authorization: `Bearer ${typeof jwt === 'string' ? jwt : firstOf(jwt)}` } : {}),
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    ...(body ? { method: 'POST', body, idReplacement: true } : {}),
    tlsOptions: { rejectUnauthorized: false },
  } as never);
  if (result.non2xx > 0) throw new Error(`${result.non2xx} responses were not 200`);
  return { rate: result.requests.average, requests: result.requests.total, p99: result.latency.p99 };
}

function firstOf({ path }: JwtFile): string {
  return readFileSync(path, 'utf8').split('\n', 1)[0] ?? '';
}
