// Profiles the controller under load: a flame graph, and a table by layer and package.
// Usage: node --conditions=source profile.ts [work] [sqlite|redis] [seconds=10] [directory of the flame graph]
import { mkdirSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join, resolve } from 'node:path';
import { createProcesses } from './processes.ts';
import type { Frame } from './profile/call-tree.ts';
import { callTree } from './profile/call-tree.ts';
import { flameGraph } from './profile/flame-graph.ts';
import { timeByOwner } from './profile/time-by-owner.ts';
import { works } from './profile/works.ts';

const warmUpSeconds = 5;
/** Microseconds between two samples. */
const interval = 200;

const given = process.argv.slice(2);
const seconds = Number(given.find((word) => /^\d+$/.test(word)) ?? 10);
const words = given.filter((word) => !/^\d+$/.test(word));

const [name = 'session-checks'] = words.filter((word) => word in works);
const [store = 'sqlite', directory = 'profile-results'] = words.filter((word) => word !== name);
if (store !== 'sqlite' && store !== 'redis') throw new Error(`no store "${store}"; there are sqlite and redis`);
const work = works[name];
if (!work?.isThere) throw new Error(`a profile of ${name} needs ${work?.generator} on PATH`);

const { createController, createLogger } = await import('@edge-controller/server');
await using processes = createProcesses();
const controller = await createController({
  port: 0,
  dataDir: processes.directory,
  adminPassword: 'a password of the admin',
  signInRate: 0,
  redisUrl: store === 'redis' ? await processes.startRedis() : null,
  log: createLogger({ level: 'warn' }),
});
try {
  const { port } = await controller.listen();
  const url = `https://127.0.0.1:${port}`;
  const load = await work.prepare(url, processes.directory);
  await load(warmUpSeconds);
  const inspector = new Session();
  inspector.connect();
  await inspector.post('Profiler.enable');
  await inspector.post('Profiler.setSamplingInterval', { interval });
  await inspector.post('Profiler.start');
  const requests = await load(seconds);
  const { profile } = await inspector.post('Profiler.stop');
  print(callTree(profile), requests);
} finally {
  await controller.close();
}

function print(root: Frame, requests: number): void {
  const title = `${name.replaceAll('-', ' ')} on ${store}: ${(root.total / requests).toFixed(1)} us of busy time for each of ${requests}`;
  say(title);
  for (const [owner, time] of timeByOwner(root)) {
    const share = `${((100 * time) / root.total).toFixed(1)} %`;
    say(`  ${owner.padEnd(30)}${(time / requests).toFixed(2).padStart(8)} us${share.padStart(9)}`);
  }
  const folder = resolve(directory);
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${name}-${store}.svg`);
  writeFileSync(file, flameGraph(root, title));
  say(`flame graph: ${file}`);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
