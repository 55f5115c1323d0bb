import type { RedisScripts } from 'redis';
import { RedisClient } from 'redis';

function makeFactory<Scripts extends RedisScripts>(scripts: Scripts) {
  return RedisClient.factory({ scripts });
}

type Factory<Scripts extends RedisScripts> = ReturnType<typeof makeFactory<Scripts>>;

const factories = new WeakMap<RedisScripts, unknown>();
const noScripts = {};

/**
 * Makes clients that run the commands of Redis, and these scripts. A class of clients is slow to make, because it has a
 * function for each command. All clients with the same scripts share theirs; `createClient` would make one for each URL.
 */
export function clientsWith<Scripts extends RedisScripts>(scripts: Scripts): Factory<Scripts> {
  const factory = (factories.get(scripts) as Factory<Scripts> | undefined) ?? makeFactory(scripts);
  factories.set(scripts, factory);
  return factory;
}

/** Makes a client that runs the commands of Redis. */
export const createRedisClient = clientsWith(noScripts);
