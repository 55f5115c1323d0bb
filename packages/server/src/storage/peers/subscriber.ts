import { createRedisClient } from '../database/redis/clients.ts';

export type Subscriber = ReturnType<typeof createSubscriber>;

/** A connection for messages alone: nothing else may be sent on it. */
export function createSubscriber(url: string) {
  const client = createRedisClient({
    url,
    maintNotifications: 'disabled',
    pingInterval: 1_000,
    socket: {
      connectTimeout: 1_000,
      socketTimeout: 3_000,
      reconnectStrategy: (retries) => Math.min(50 + retries * 50, 500),
    },
  });
  // It connects again by itself, and the count shows what was lost meanwhile.
  client.on('error', () => undefined);
  return client;
}
