import type { RedisScripts } from 'redis';
import { storeUnavailable } from '../unavailable.ts';
import type { RedisConnection } from './connection.ts';
import { commandTimeout, connectRedis } from './connection.ts';

export type LazyConnection<Scripts extends RedisScripts> = Pick<RedisConnection<Scripts>, 'run' | 'close'>;

/**
 * A connection that opens at its first use. When it cannot open, the command fails, and the next command tries again.
 */
export function createLazyConnection<Scripts extends RedisScripts>(
  url: string,
  scripts: Scripts,
): LazyConnection<Scripts> {
  let opening: Promise<RedisConnection<Scripts>> | null = null;
  let isClosed = false;

  const open = async (): Promise<RedisConnection<Scripts>> => {
    try {
      return await connectRedis(url, scripts, { timeout: commandTimeout });
    } catch (error) {
      opening = null;
      throw storeUnavailable(error);
    }
  };

  return {
    async run(work) {
      if (isClosed) throw storeUnavailable(new Error('closed'));
      opening ??= open();
      return (await opening).run(work);
    },

    async close() {
      isClosed = true;
      const opened = await opening?.catch(() => null);
      await opened?.close();
    },
  };
}
