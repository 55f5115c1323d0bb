import { defineScript } from 'redis';

/** What the store knows of the parser that node-redis hands to a script. */
interface Parser {
  pushKey(key: string): void;
  push(...values: string[]): void;
}

/**
 * Reads sessions and resets the TTL of those that are there, in one step: a removed session cannot come back. One script
 * for many sessions, because a command of its own would cost more for each than reading and touching it.
 */
const touchSessions = defineScript({
  SCRIPT: `
    local records = {}
    for at, key in ipairs(KEYS) do
      records[at] = redis.call('HGET', key, 'record')
      if records[at] then redis.call('PEXPIRE', key, ARGV[1]) end
    end
    return records`,
  parseCommand(parser: Parser, keys: readonly string[], timeout: number) {
    parser.push(String(keys.length));
    for (const key of keys) parser.pushKey(key);
    parser.push(String(timeout));
  },
  transformReply: (reply: unknown) => reply as readonly (string | null)[],
});

/** Reads sessions with the milliseconds that they have left; one script for many, as above. */
const readSessions = defineScript({
  SCRIPT: `
    local read = {}
    for at, key in ipairs(KEYS) do
      read[2 * at - 1] = redis.call('HGET', key, 'record')
      read[2 * at] = redis.call('PTTL', key)
    end
    return read`,
  parseCommand(parser: Parser, keys: readonly string[]) {
    parser.push(String(keys.length));
    for (const key of keys) parser.pushKey(key);
  },
  transformReply(reply: unknown) {
    const read = reply as readonly (string | number | null)[];
    return Array.from({ length: read.length / 2 }, (_, at) => ({
      text: read[2 * at] as string | null,
      left: read[2 * at + 1] as number,
    }));
  },
});

/** Replaces the record of a session if it is still the one that was read. */
const replaceSession = defineScript({
  NUMBER_OF_KEYS: 1,
  SCRIPT: `
    if redis.call('HGET', KEYS[1], 'record') ~= ARGV[1] then return 0 end
    redis.call('HSET', KEYS[1], 'record', ARGV[2])
    return 1`,
  parseCommand(parser: Parser, key: string, before: string, after: string) {
    parser.pushKey(key);
    parser.push(before, after);
  },
  transformReply: (reply: unknown) => reply === 1,
});

export const scripts = { touchSessions, readSessions, replaceSession };

const keysAtOnce = 100;

/** The keys for several calls of a script, in order: Redis serves nobody else while one runs. */
export function inCalls(keys: readonly string[]): readonly (readonly string[])[] {
  return Array.from({ length: Math.ceil(keys.length / keysAtOnce) }, (_, at) =>
    keys.slice(at * keysAtOnce, (at + 1) * keysAtOnce),
  );
}
