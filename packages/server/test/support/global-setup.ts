import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
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
    await Promise.all([redis.stop(), postgres.stop()]);
    rmSync(compileCache, { recursive: true, force: true });
  };
}
