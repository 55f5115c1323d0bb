import { connectRedis } from '../../database/redis/connection.ts';

/** What a probe of Redis shows. Nothing is changed. */
export interface RedisProbe {
  /** `8.2.1`. */
  readonly version: string;
  /** Whether it takes no writes, because it follows another server. */
  readonly isReplica: boolean;
  /** What it does when its memory is full. */
  readonly evictionPolicy: string;
  /** Part of its memory that is in use, 0 to 1. `null`: it has no limit. */
  readonly memoryUse: number | null;
  /** Milliseconds that its clock is ahead of `clock`. `null`: this user may not ask. */
  readonly clockDifference: number | null;
}

/**
 * @param clock returns milliseconds since 1970
 * @throws StoreUnusable when Redis cannot be reached
 */
export async function probeRedis(url: string, clock: () => number): Promise<RedisProbe> {
  const connection = await connectRedis(url, {});
  try {
    const info = await connection.run((client) => client.info());
    const read = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1] ?? '';
    const maxMemory = Number(read('maxmemory'));
    const before = clock();
    const time = await connection.run((client) => client.sendCommand(['TIME'])).catch(() => null);
    const middle = (before + clock()) / 2;
    const [seconds, microseconds] = Array.isArray(time) ? time.map(Number) : [];
    return {
      version: read('redis_version'),
      isReplica: read('role') === 'slave',
      evictionPolicy: read('maxmemory_policy') || 'noeviction',
      memoryUse: maxMemory > 0 ? Number(read('used_memory')) / maxMemory : null,
      clockDifference:
        seconds === undefined || microseconds === undefined ? null : seconds * 1_000 + microseconds / 1_000 - middle,
    };
  } finally {
    await connection.close();
  }
}
