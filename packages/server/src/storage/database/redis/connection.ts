import { setImmediate } from 'node:timers';
import type { RedisScripts } from 'redis';
import { ApiError } from '../../../core/api-error.ts';
import { StoreUnusable, storeUnavailable } from '../unavailable.ts';
import { clientsWith } from './clients.ts';

/** Milliseconds. */
export const commandTimeout = 400;
const openTimeout = 5_000;
const pingInterval = 100;
/** Shorter than `commandTimeout`: when one process gives up a command, the others notice that Redis was silent, too. */
const maxSilence = 350;

function createScriptedClient<Scripts extends RedisScripts>(url: string, scripts: Scripts) {
  return clientsWith(scripts)({
    url,
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
export type RunCommand<Scripts extends RedisScripts> = <T>(
  work: (client: RedisClient<Scripts>) => Promise<T>,
) => Promise<T>;

interface ConnectOptions<Scripts extends RedisScripts> {
  /** Milliseconds to connect; default 5 seconds. */
  readonly timeout?: number;
  /** Gets every new connection before any other command is sent. */
  readonly onReady?: (client: RedisClient<Scripts>) => void;
}

/**
 * Connects to Redis and reconnects automatically.
 *
 * @param scripts what the client can run besides the commands of Redis
 * @throws StoreUnusable when Redis cannot be reached in time
 */
export async function connectRedis<Scripts extends RedisScripts>(
  url: string,
  scripts: Scripts,
  options: ConnectOptions<Scripts> = {},
): Promise<RedisConnection<Scripts>> {
  const connection = new RedisConnection(url, scripts, options.onReady);
  await connection.open(options.timeout ?? openTimeout);
  return connection;
}

export class RedisConnection<Scripts extends RedisScripts> {
  readonly #url: string;
  readonly #scripts: Scripts;
  readonly #onReady: ConnectOptions<Scripts>['onReady'];
  #client: RedisClient<Scripts>;
  #epoch = 0;
  #receivedAt = 0;
  #lastError: unknown = null;
  #isClosed = false;

  constructor(url: string, scripts: Scripts, onReady: ConnectOptions<Scripts>['onReady']) {
    this.#url = url;
    this.#scripts = scripts;
    this.#onReady = onReady;
    this.#client = this.#createClient();
  }

  /** @param timeout milliseconds */
  async open(timeout: number): Promise<void> {
    const client = this.#client;
    const timer = Promise.withResolvers<never>();
    const deadline = setTimeout(() => timer.reject(new Error('no reply')), timeout);
    try {
      await Promise.race([client.connect().then((opened) => opened.ping()), timer.promise]);
    } catch (error) {
      client.destroy();
      const cause = reason(this.#lastError ?? error);
      throw new StoreUnusable(`Redis at ${new URL(this.#url).host} cannot be reached: ${cause}`, { cause: error });
    } finally {
      clearTimeout(deadline);
    }
  }

  /**
   * Grows when the connection was established, and when Redis has replied nothing for so long that another process may have
   * lost a command meanwhile.
   */
  epoch(): number {
    return this.#epoch;
  }

  /** A function of its own: those who only run commands get nothing else. */
  readonly run: RunCommand<Scripts> = async (work) => {
    const used = this.#client;
    if (!used.isReady) throw storeUnavailable(this.#lastError);
    try {
      const reply = await withDeadline(work(used));
      this.#receive();
      return reply;
    } catch (error) {
      if (error instanceof ApiError) throw error;
      if (error instanceof CommandTimeout || /^(READONLY|MASTERDOWN)/.test(reason(error))) this.#replace(used);
      throw storeUnavailable(error);
    }
  };

  async close(): Promise<void> {
    const client = this.#client;
    this.#isClosed = true;
    if (client.isReady) await withDeadline(client.close()).catch(() => client.destroy());
    else client.destroy();
  }

  #createClient(): RedisClient<Scripts> {
    const created = createScriptedClient(this.#url, this.#scripts);
    created.on('error', (error) => {
      this.#lastError = error;
    });
    created.on('ready', () => {
      this.#epoch += 1;
      this.#receivedAt = performance.now();
      this.#onReady?.(created);
    });
    created.on('ping-interval', () => this.#receive());
    return created;
  }

  #receive(): void {
    const now = performance.now();
    if (now - this.#receivedAt > maxSilence) this.#epoch += 1;
    this.#receivedAt = now;
  }

  /** Replaces a connection that hangs, or whose server is no longer the primary. Waiting for it could take minutes. */
  #replace(broken: RedisClient<Scripts>): void {
    if (this.#client !== broken || this.#isClosed) return;
    this.#client = this.#createClient();
    this.#client.connect().catch((error) => {
      this.#lastError = error;
    });
    broken.destroy();
  }
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
