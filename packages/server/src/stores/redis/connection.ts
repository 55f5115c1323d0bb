import { createClient } from 'redis';
import { ApiError } from '../../api-error.ts';
import { StoreUnusable, storeUnavailable } from '../unavailable.ts';
import { scripts } from './scripts.ts';

/** Milliseconds. */
export const commandTimeout = 400;
const openTimeout = 5_000;

function createScriptedClient(url: string) {
  return createClient({
    url,
    scripts,
    disableOfflineQueue: true,
    pingInterval: 1_000,
    maintNotifications: 'disabled',
    // `run` has the deadline for commands. A second timer per command would cost as much as the command itself.
    commandOptions: { timeout: 0 },
    // With a ping every second, a healthy connection is never silent for two seconds, not even during the handshake.
    socket: {
      connectTimeout: 1_000,
      socketTimeout: 2_000,
      reconnectStrategy: (retries) => Math.min(50 + retries * 50, 500),
    },
  });
}

export type RedisClient = ReturnType<typeof createScriptedClient>;

/** Runs commands. Every failure becomes `ApiError('STORE_UNAVAILABLE')` within 500 ms. */
export type Run = <T>(work: (client: RedisClient) => Promise<T>) => Promise<T>;

export interface RedisConnection {
  readonly run: Run;
  /** The number of times that the connection was established. */
  epoch(): number;
  close(): Promise<void>;
}

/**
 * Connects to Redis and reconnects automatically.
 *
 * @param timeout milliseconds to connect; default 5 seconds
 * @throws StoreUnusable when Redis cannot be reached within `timeout`
 */
export async function connectRedis(url: string, timeout = openTimeout): Promise<RedisConnection> {
  let epoch = 0;
  let lastError: unknown = null;
  let isClosed = false;

  const connect = (): RedisClient => {
    const created = createScriptedClient(url);
    created.on('error', (error) => {
      lastError = error;
    });
    created.on('ready', () => {
      epoch += 1;
    });
    return created;
  };

  let client = connect();
  const timer = Promise.withResolvers<never>();
  const deadline = setTimeout(() => timer.reject(new Error('no reply')), timeout);
  try {
    await Promise.race([client.connect().then((opened) => opened.ping()), timer.promise]);
  } catch (error) {
    client.destroy();
    throw new StoreUnusable(`Redis at ${new URL(url).host} cannot be reached: ${reason(lastError ?? error)}`, {
      cause: error,
    });
  } finally {
    clearTimeout(deadline);
  }

  /** Replaces a connection that hangs, or whose server is no longer the primary. Waiting for it could take minutes. */
  const replace = (broken: RedisClient) => {
    if (client !== broken || isClosed) return;
    client = connect();
    client.connect().catch((error) => {
      lastError = error;
    });
    broken.destroy();
  };

  return {
    epoch: () => epoch,

    async run(work) {
      const used = client;
      if (!used.isReady) throw storeUnavailable(lastError);
      try {
        return await withDeadline(work(used));
      } catch (error) {
        if (error instanceof ApiError) throw error;
        if (error instanceof CommandTimeout || /^(READONLY|MASTERDOWN)/.test(reason(error))) replace(used);
        throw storeUnavailable(error);
      }
    },

    async close() {
      isClosed = true;
      if (client.isReady) await withDeadline(client.close()).catch(() => client.destroy());
      else client.destroy();
    },
  };
}

class CommandTimeout extends Error {
  override readonly name = 'CommandTimeout';
}

function withDeadline<T>(work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    // If this process was busy, the reply may already be in the socket. Node.js reads it before `setImmediate` runs.
    const expire = () => setImmediate(() => reject(new CommandTimeout('Redis did not reply in time')));
    const timer = setTimeout(expire, commandTimeout);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

function reason(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  return error.message || ('code' in error ? String(error.code) : error.name);
}
