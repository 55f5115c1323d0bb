// Profiles the controller under session checks: a flame graph, and a table by layer and package.
// Usage: node --conditions=source profile.ts [sqlite|redis] [seconds=10] [directory of the flame graph]
import { mkdirSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join, resolve } from 'node:path';
import { sessionPath, signIn } from './call.ts';
import { hasWrk, load } from './load.ts';
import { createProcesses } from './processes.ts';
import type { Frame } from './profile/call-tree.ts';
import { callTree } from './profile/call-tree.ts';
import { flameGraph } from './profile/flame-graph.ts';
import { timeByOwner } from './profile/time-by-owner.ts';

const warmUpSeconds = 5;
/** Microseconds between two samples. */
const interval = 200;

const given = process.argv.slice(2);
const seconds = Number(given.find((word) => /^\d+$/.test(word)) ?? 10);
const [store = 'sqlite', directory = 'profile-results'] = given.filter((word) => !/^\d+$/.test(word));
if (store !== 'sqlite' && store !== 'redis') throw new Error(`no store "${store}"; there are sqlite and redis`);
// The controller runs in this process, where a load generator of ours would be in the profile.
if (!hasWrk) throw new Error('a profile needs wrk on PATH');

const { createController, createLogger } = await import('@edge-controller/server');
await using processes = createProcesses();
const controller = await createController({
  port: 0,
  dataDir: processes.directory,
  adminPassword: 'a password of the admin',
  redisUrl: store === 'redis' ? await processes.startRedis() : null,
  log: createLogger({ level: 'warn' }),
});
try {
  const { port } = await controller.listen();
  const url = `https://127.0.0.1:${port}`;
  const work = { url: url + sessionPath, connections: 32, token: await signIn(url) };
  await load({ ...work, seconds: warmUpSeconds });
  const inspector = new Session();
  inspector.connect();
  await inspector.post('Profiler.enable');
  await inspector.post('Profiler.setSamplingInterval', { interval });
  await inspector.post('Profiler.start');
  const { requests } = await load({ ...work, seconds });
  const { profile } = await inspector.post('Profiler.stop');
  print(callTree(profile), requests);
} finally {
  await controller.close();
}

function print(root: Frame, requests: number): void {
  const title = `session checks on ${store}: ${(root.total / requests).toFixed(1)} us of busy time for each of ${requests}`;
  say(title);
  for (const [owner, time] of timeByOwner(root)) {
    const share = `${((100 * time) / root.total).toFixed(1)} %`;
    say(`  ${owner.padEnd(30)}${(time / requests).toFixed(2).padStart(8)} us${share.padStart(9)}`);
  }
  const folder = resolve(directory);
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `session-checks-${store}.svg`);
  writeFileSync(file, flameGraph(root, title));
  say(`flame graph: ${file}`);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
