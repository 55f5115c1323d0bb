import type { RedisScripts } from 'redis';
import { createClient } from 'redis';
import { ApiError } from '../../api-error.ts';
import { StoreUnusable, storeUnavailable } from '../unavailable.ts';

/** Milliseconds. */
export const commandTimeout = 400;
const openTimeout = 5_000;
const pingInterval = 100;
/** Shorter than `commandTimeout`: when one process gives up a command, the others notice that Redis was silent, too. */
const maxSilence = 350;

function createScriptedClient<Scripts extends RedisScripts>(url: string, scripts: Scripts) {
  return createClient({
    url,
    scripts,
    disableOfflineQueue: true,
    pingInterval,
    maintNotifications: 'disabled',
    // `run` has the deadline for commands. A second timer per command would cost as much as the command itself.
    commandOptions: { timeout: 0 },
    // Because of the pings, a healthy connection is never silent for so long, not even during the handshake.
    socket: {
      connectTimeout: 1_000,
      socketTimeout: 2_000,
      reconnectStrategy: (retries) => Math.min(50 + retries * 50, 500),
    },
  });
}

export type RedisClient<Scripts extends RedisScripts> = ReturnType<typeof createScriptedClient<Scripts>>;

/** Runs commands. Every failure becomes `ApiError('STORE_UNAVAILABLE')` within 500 ms. */
export type Run<Scripts extends RedisScripts> = <T>(work: (client: RedisClient<Scripts>) => Promise<T>) => Promise<T>;

export interface RedisConnection<Scripts extends RedisScripts> {
  readonly run: Run<Scripts>;
  /**
   * Grows when the connection was established, and when Redis has replied nothing for so long that another process may have
   * lost a command meanwhile.
   */
  epoch(): number;
  close(): Promise<void>;
}

/**
 * Connects to Redis and reconnects automatically.
 *
 * @param scripts what the client can run besides the commands of Redis
 * @param timeout milliseconds to connect; default 5 seconds
 * @param onReady gets every new connection before any other command is sent
 * @throws StoreUnusable when Redis cannot be reached within `timeout`
 */
export async function connectRedis<Scripts extends RedisScripts>(
  url: string,
  scripts: Scripts,
  { timeout = openTimeout, onReady }: { timeout?: number; onReady?: (client: RedisClient<Scripts>) => void } = {},
): Promise<RedisConnection<Scripts>> {
  let epoch = 0;
  let heardAt = 0;
  let lastError: unknown = null;
  let isClosed = false;

  const hear = () => {
    const now = performance.now();
    if (now - heardAt > maxSilence) epoch += 1;
    heardAt = now;
  };

  const connect = (): RedisClient<Scripts> => {
    const created = createScriptedClient(url, scripts);
    created.on('error', (error) => {
      lastError = error;
    });
    created.on('ready', () => {
      epoch += 1;
      heardAt = performance.now();
      onReady?.(created);
    });
    created.on('ping-interval', hear);
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
  const replace = (broken: RedisClient<Scripts>) => {
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
        const reply = await withDeadline(work(used));
        hear();
        return reply;
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
