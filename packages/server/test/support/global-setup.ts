import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { chromium } from '../../../../scripts/chromium.ts';
import { createRedisClient } from '../../src/storage/database/redis/clients.ts';
import type { Dangling } from './dangling.ts';
import { danglingInRedis } from './dangling.ts';
import { startTestPostgres } from './postgres.ts';
import { startTestRedis } from './redis.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Redis of the run: take `freshRedis(inject('redisUrl'))`. */
    redisUrl: string;
    /** PostgreSQL of the run: take `freshDatabase(inject('postgresUrl'))`. */
    postgresUrl: string;
    /** What no other run has: part of the names of what its workers share. */
    run: string;
    /** Directory in which executables of the run share what Node has compiled. */
    compileCache: string;
  }
}

let running: Promise<[{ url: string; stop(): Promise<void> }, { url: string; stop(): Promise<void> }]> | null = null;
const run = randomUUID().replaceAll('-', '');
let compileCache = '';
let users = 0;

/** One Redis, one PostgreSQL and one compile cache for the whole run, whichever projects take part. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (!running) {
    // Before the workers look for it: one that is being installed is there too early.
    chromium();
    running = Promise.all([startTestRedis(), startTestPostgres()]);
    compileCache = mkdtempSync(join(tmpdir(), 'edge-compile-cache-'));
  }
  users += 1;
  const [redis, postgres] = await running;
  project.provide('redisUrl', redis.url);
  project.provide('postgresUrl', postgres.url);
  project.provide('run', run);
  project.provide('compileCache', compileCache);
  return async () => {
    users -= 1;
    if (users > 0) return;
    running = null;
    try {
      await checkReferences(redis.url);
    } finally {
      await Promise.all([redis.stop(), postgres.stop()]);
      rmSync(compileCache, { recursive: true, force: true });
    }
  };
}

/** Nothing in the Redis of the run may refer to an API session that is not there. Those in files look when a test ends. */
async function checkReferences(redisUrl: string): Promise<void> {
  const client = await createRedisClient({ url: redisUrl, socket: { connectTimeout: 30_000 } }).connect();
  const databases = Array.from((await client.info('keyspace')).matchAll(/^db(\d+):/gm), ([, database]) => database);
  await client.close();
  if (databases.length === 0) return;
  const found: Dangling[] = [];
  // One after the other: hundreds of connections at once may take longer than one may.
  for (const database of databases) found.push(await danglingInRedis(new URL(`/${database}`, redisUrl).href));
  const count = (of: (each: Dangling) => number) => found.reduce((sum, each) => sum + of(each), 0);
  console.log(
    `${databases.length} databases of Redis have ${count(({ apiSessions }) => apiSessions)} API sessions; ` +
      `${count(({ waiting }) => waiting.length)} references wait for a sweep`,
  );
  const lost = found.flatMap((each) => each.lost);
  if (lost.length > 0) throw new Error(`without an API session: ${lost.join(', ')}`);
}
