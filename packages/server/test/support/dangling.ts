import { existsSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { createRedisClient } from '../../src/storage/database/redis/clients.ts';

const batchSize = 1_000;
const sessionKey = /^edge:\{(.*)\}$/;
const identityKey = /^edge:identity:/;

/** What a session store says of API sessions that it does not have. */
export interface Dangling {
  readonly apiSessions: number;
  /** Nobody will remove it. */
  readonly lost: readonly string[];
  /** The next sweep of a controller removes it. */
  readonly waiting: readonly string[];
}

/**
 * Looks at everything in a database of Redis that refers to API sessions, or to what belongs to them. A controller that
 * works there may remove a session while this looks: what is lost in both of two looks is lost.
 */
export async function danglingInRedis(url: string): Promise<Dangling> {
  const client = await connect(url);
  try {
    const first = await look(client);
    if (first.lost.length === 0) return first;
    const second = await look(client);
    return { ...second, lost: second.lost.filter((member) => first.lost.includes(member)) };
  } finally {
    await client.close();
  }
}

/** The same, for the file in which a controller keeps its API sessions. */
export function danglingInFile(dataDir: string): readonly unknown[] {
  const file = join(dataDir, 'sessions.db');
  if (!existsSync(file)) return [];
  const database = new Database(file, { readonly: true });
  try {
    return database.pragma('foreign_key_check') as unknown[];
  } finally {
    database.close();
  }
}

function hashOf(member: string): string {
  return member.split(' ')[1] ?? '';
}

const connect = (url: string) => createRedisClient({ url, socket: { connectTimeout: 30_000 } }).connect();

async function look(client: Awaited<ReturnType<typeof connect>>): Promise<Dangling> {
  const keys: string[] = [];
  for await (const found of client.scanIterator({ MATCH: 'edge:*', COUNT: batchSize })) keys.push(...found);
  const hashes = keys.flatMap((key) => sessionKey.exec(key)?.[1] ?? []);
  const live = new Set(hashes);
  const indexes = ['edge:ids', 'edge:created', 'edge:sessions', ...keys.filter((key) => identityKey.test(key))];
  const dangling: string[] = [];
  for (const index of indexes) {
    const members = await client.zRange(index, 0, -1);
    dangling.push(...members.filter((member) => !live.has(hashOf(member))));
  }
  const due = new Set((await client.zRange('edge:expiry', 0, -1)).map(hashOf));
  return {
    apiSessions: hashes.length,
    lost: dangling.filter((member) => !due.has(hashOf(member))),
    waiting: dangling.filter((member) => due.has(hashOf(member))),
  };
}
