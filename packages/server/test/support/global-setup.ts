import type { TestProject } from 'vitest/node';
import { startTestPostgres } from './postgres.ts';
import { startTestRedis } from './redis.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Redis of the run: take `freshRedis(inject('redisUrl'))`. */
    redisUrl: string;
    /** PostgreSQL of the run: take `freshDatabase(inject('postgresUrl'))`. */
    postgresUrl: string;
  }
}

let running: Promise<[{ url: string; stop(): Promise<void> }, { url: string; stop(): Promise<void> }]> | null = null;
let users = 0;

/** One Redis and one PostgreSQL for the whole run, whichever projects take part. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  running ??= Promise.all([startTestRedis(), startTestPostgres()]);
  users += 1;
  const [redis, postgres] = await running;
  project.provide('redisUrl', redis.url);
  project.provide('postgresUrl', postgres.url);
  return async () => {
    users -= 1;
    if (users > 0) return;
    running = null;
    await Promise.all([redis.stop(), postgres.stop()]);
  };
}
