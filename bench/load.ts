import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';
import autocannon from 'autocannon';

export interface Load {
  /** Requests per second. */
  readonly rate: number;
  /** Milliseconds. */
  readonly p99: number;
}

const hasWrk = (() => {
  try {
    execFileSync('sh', ['-c', 'command -v wrk']);
    return true;
  } catch {
    return false;
  }
})();

/** Reads `url` for some seconds over keep-alive connections. Throws when an answer is not 200. */
export async function load(url: string, token: string, seconds: number, connections = 32): Promise<Load> {
  return hasWrk ? loadWithWrk(url, token, seconds, connections) : loadWithAutocannon(url, token, seconds, connections);
}

async function loadWithWrk(url: string, token: string, seconds: number, connections: number): Promise<Load> {
  const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '--latency', '-H', `svc-session: ${token}`, url];
  const { stdout } = await promisify(execFile)('wrk', args);
  if (/Non-2xx/.test(stdout)) throw new Error(stdout);
  const [, rate] = /Requests\/sec:\s+([\d.]+)/.exec(stdout) ?? [];
  const [, p99, unit] = /99%\s+([\d.]+)(us|ms|s)/.exec(stdout) ?? [];
  const scale = { us: 0.001, ms: 1, s: 1_000 }[unit ?? 'ms'] ?? 1;
  return { rate: Number(rate), p99: Number(p99) * scale };
}

async function loadWithAutocannon(url: string, token: string, seconds: number, connections: number): Promise<Load> {
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    headers: { 'svc-session': token },
    tlsOptions: { rejectUnauthorized: false },
  } as never);
  if (result.non2xx > 0) throw new Error(`${result.non2xx} answers were not 200`);
  return { rate: result.requests.average, p99: result.latency.p99 };
}
