// Prints ratios against bare baselines measured in the same run. Usage: node --conditions=source run.ts [seconds=5]
import type { ChildProcess } from 'node:child_process';
import { execFile, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Load } from './load.ts';
import { load } from './load.ts';

const seconds = Number(process.argv[2] ?? 5);
const here = import.meta.dirname;
const work = mkdtempSync(join(tmpdir(), 'edge-bench-'));
const children: ChildProcess[] = [];
const credentials = JSON.stringify({ username: 'admin', password: 'a password of the admin' });
const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as { port: number };
  probe.close();
  return port;
}

async function startRedis(): Promise<string> {
  const port = await freePort();
  children.push(
    spawn('redis-server', ['--port', String(port), '--save', '', '--bind', '127.0.0.1'], {
      stdio: 'ignore',
      cwd: work,
    }),
  );
  await sleep(500);
  return `redis://127.0.0.1:${port}`;
}

interface Running {
  readonly url: string;
  readonly child: ChildProcess;
}

async function start(file: string, env: Record<string, string>): Promise<Running> {
  const child = fork(join(here, file), {
    env: { ...process.env, ...env },
    execArgv: ['--conditions=source', '--no-warnings'],
  });
  children.push(child);
  const [{ url }] = (await once(child, 'message')) as [{ url: string }];
  return { url, child };
}

interface Answer {
  readonly text: string;
  readonly headers: Record<string, unknown>;
}

function call(url: string, options: { method?: string; token?: string; body?: string } = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { method = 'GET', token, body } = options;
    const headers = {
      ...(body ? { 'content-type': 'application/json' } : {}),
      ...(token ? { 'svc-session': token } : {}),
    };
    const outgoing = request(url, { method, agent, headers }, (incoming) => {
      let text = '';
      incoming.on('data', (chunk) => (text += chunk));
      incoming.on('end', () =>
        incoming.statusCode === 200
          ? resolve({ text, headers: incoming.headers })
          : reject(new Error(`${incoming.statusCode} ${text}`)),
      );
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

const signInPath = '/edge/client/v1/authenticate?method=password';
const signIn = async ({ url }: Running) =>
  JSON.parse((await call(url + signInPath, { method: 'POST', body: credentials })).text).data.token;

async function cpuMicroseconds({ child }: Running): Promise<number> {
  child.send('cpu');
  const [{ cpu }] = (await once(child, 'message')) as [{ cpu: NodeJS.CpuUsage }];
  return cpu.user + cpu.system;
}

async function measure(server: Running, path: string, token: string): Promise<Load & { cpu: number }> {
  const work = { url: server.url + path, token, connections: 32 };
  // Long enough for the hot path to be compiled: a server runs for weeks.
  await load({ ...work, seconds: 5 });
  const before = await cpuMicroseconds(server);
  const result = await load({ ...work, seconds });
  return { ...result, cpu: ((await cpuMicroseconds(server)) - before) / (result.rate * seconds) };
}

const say = (line: string) => process.stdout.write(`${line}\n`);
const row = (name: string, { rate, p99, cpu }: Load & { cpu: number }, base: Load & { cpu: number }) =>
  say(
    `${name.padEnd(34)} ${rate.toFixed(0).padStart(7)}/s  p99 ${p99.toFixed(1)} ms  ${cpu.toFixed(0)} us CPU  ratio ${(rate / base.rate).toFixed(2)}`,
  );

const storm = (server: Running, forSeconds: number) =>
  load({ url: `${server.url}${signInPath}`, body: credentials, connections: 8, seconds: forSeconds });

async function rawRate(): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, [join(here, 'hash.ts'), String(seconds)]);
  return Number(stdout);
}

try {
  const redis = await startRedis();
  const path = '/edge/client/v1/current-api-session';
  const sqlite = await start('controller.ts', { BENCH_DATA: join(work, 'sqlite') });
  const onRedis = await start('controller.ts', { BENCH_DATA: join(work, 'redis'), BENCH_REDIS: redis });
  const tokens = { sqlite: await signIn(sqlite), redis: await signIn(onRedis) };
  const { text, headers } = await call(onRedis.url + path, { token: tokens.redis });
  const { date, connection, 'keep-alive': _, 'content-length': __, ...sameHeaders } = headers;
  const bare = await start('bare.ts', {
    BENCH_REDIS: redis,
    BENCH_TOKEN: tokens.redis,
    BENCH_BODY: text,
    BENCH_HEADERS: JSON.stringify(sameHeaders),
    BENCH_KEY: join(work, 'redis/pki/server.key'),
    BENCH_CERT: join(work, 'redis/pki/server.pem'),
  });
  say(`GET current-api-session, ${seconds} s each, 32 connections`);
  const base = await measure(bare, '/', tokens.redis);
  row('bare Koa + GETEX, same bytes', base, base);
  row('controller, Redis', await measure(onRedis, path, tokens.redis), base);
  row('controller, SQLite', await measure(sqlite, path, tokens.sqlite), base);
  const again = await measure(bare, '/', tokens.redis);
  row('bare Koa + GETEX, again', again, base);

  // Raw, ours, raw: a machine that slows down in between must not decide.
  await storm(sqlite, 10);
  const before = await rawRate();
  const { rate: signIns } = await storm(sqlite, seconds);
  const raw = (before + (await rawRate())) / 2;
  say(
    `password sign-ins                  ${signIns.toFixed(1).padStart(7)}/s  argon2.verify alone ${raw.toFixed(1)}/s  ratio ${(signIns / raw).toFixed(2)}`,
  );

  const checks = { url: onRedis.url + path, token: tokens.redis, seconds, connections: 4 };
  const idle = await load(checks);
  const storming = storm(onRedis, seconds + 1);
  const during = await load(checks);
  await storming;
  say(
    `session checks, 4 connections      p99 ${idle.p99.toFixed(1)} ms idle, ${during.p99.toFixed(1)} ms during a storm of sign-ins`,
  );
} finally {
  for (const child of children) child.kill('SIGKILL');
  agent.destroy();
  rmSync(work, { recursive: true, force: true });
}
