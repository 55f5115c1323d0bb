import { storeUnavailable } from '../unavailable.ts';
import type { RedisConnection } from './connection.ts';
import { commandTimeout, connectRedis } from './connection.ts';

/** A connection that is opened when it is first used. Opening fails as a command does, and is tried again the next time. */
export function connectWhenUsed(url: string): Pick<RedisConnection, 'run' | 'close'> {
  let opening: Promise<RedisConnection> | null = null;
  let isClosed = false;

  const open = async (): Promise<RedisConnection> => {
    try {
      return await connectRedis(url, commandTimeout);
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
