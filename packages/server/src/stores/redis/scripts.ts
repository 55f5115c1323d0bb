import { defineScript } from 'redis';

/** What the store knows of the parser that node-redis hands to a script. */
interface Parser {
  pushKey(key: string): void;
  push(...values: string[]): void;
}

/** Reads a session and resets its TTL when it is there, in one step: a removed session cannot come back. */
const touchSession = defineScript({
  NUMBER_OF_KEYS: 1,
  SCRIPT: `
    local found = redis.call('HMGET', KEYS[1], 'record', 'timeout')
    if not found[1] then return false end
    redis.call('PEXPIRE', KEYS[1], ARGV[1])
    if found[2] ~= ARGV[1] then redis.call('HSET', KEYS[1], 'timeout', ARGV[1]) end
    return found[1]`,
  parseCommand(parser: Parser, key: string, timeout: number) {
    parser.pushKey(key);
    parser.push(String(timeout));
  },
  transformReply: (reply: unknown) => (typeof reply === 'string' ? reply : null),
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

export const scripts = { touchSession, replaceSession };
