import { randomUUID } from 'node:crypto';
import type { RedisClient } from '../../database/redis/connection.ts';
import type { RedisKeys } from './keys.ts';
import type { scripts } from './scripts.ts';

/**
 * Replaces the version on a Redis that this process has not used before. Until now this process may have changed the
 * version on another one, while other processes already used this one and read the entities too early.
 */
export function meetServers(keys: RedisKeys): (client: RedisClient<typeof scripts>) => Promise<void> {
  let server: string | null = null;
  return async (client) => {
    const id = /^run_id:(\S+)/m.exec(await client.info('server'))?.[1] ?? '';
    if (id !== server) {
      await Promise.all([keys.version, keys.rights].map((key) => client.set(key, randomUUID())));
    }
    server = id;
  };
}
