import { defineScript } from 'redis';
import type { RedisClient, RedisConnection } from '../../database/redis/connection.ts';
import { fieldScripts } from './fields/field-scripts.ts';
import { known } from './keys.ts';
import type { Parser } from './parser.ts';

/** Finds the end at the start of a record that has one, without reading the rest of it. */
const endsAt = '^[^{]*{"endsAt":(%d+)';

/**
 * Reads sessions and resets their TTL in one atomic step, so that a removed session cannot come back. One script call
 * handles many sessions, because one command per session would cost more than the read and the touch. A record begins with its
 * `endsAt`. When the TTL is shorter because of it, it does not tell the time of the touch any more: the field `touched` does.
 */
const touchSessions = defineScript({
  SCRIPT: `
    local records = {}
    for at, key in ipairs(KEYS) do
      local record = redis.call('HGET', key, 'record')
      records[at] = record
      if record then
        local endsAt = string.match(record, '${endsAt}')
        local left = endsAt and endsAt - ARGV[2]
        if left and left < tonumber(ARGV[1]) then
          redis.call('HSET', key, 'touched', ARGV[2])
          redis.call('PEXPIRE', key, left)
          if left <= 0 then records[at] = false end
        else
          redis.call('PEXPIRE', key, ARGV[1])
        end
      end
    end
    return records`,
  parseCommand(parser: Parser, keys: readonly string[], { timeout, now }: { timeout: number; now: number }) {
    parser.push(String(keys.length));
    for (const key of keys) parser.pushKey(key);
    parser.push(String(timeout), String(now));
  },
  transformReply: (reply: unknown) => reply as readonly (string | null)[],
});

/**
 * Reads sessions, their remaining milliseconds, and when they were touched, if the remaining time does not tell it. One script
 * call handles many sessions, as above.
 */
const readSessions = defineScript({
  SCRIPT: `
    local read = {}
    for at, key in ipairs(KEYS) do
      local record = redis.call('HGET', key, 'record')
      read[3 * at - 2] = record
      read[3 * at - 1] = redis.call('PTTL', key)
      read[3 * at] = record and string.match(record, '${endsAt}') and redis.call('HGET', key, 'touched') or false
    end
    return read`,
  parseCommand(parser: Parser, keys: readonly string[]) {
    parser.push(String(keys.length));
    for (const key of keys) parser.pushKey(key);
  },
  transformReply(reply: unknown) {
    const read = reply as readonly (string | number | null)[];
    return Array.from({ length: read.length / 3 }, (_, at) => {
      const touched = read[3 * at + 2] as string | null;
      return {
        text: read[3 * at] as string | null,
        remaining: read[3 * at + 1] as number,
        touchedAt: touched === null ? null : Number(touched),
      };
    });
  },
});

/**
 * Reads the version of the entities together with the id of the server process. The version alone is not enough: a replica
 * that becomes the primary may have an earlier version, which this controller has seen before. A lost version is replaced by
 * `unused`, a random one.
 */
const readVersion = defineScript({
  NUMBER_OF_KEYS: 1,
  SCRIPT: `
    local version = redis.call('GET', KEYS[1])
    if not version then
      version = ARGV[1]
      redis.call('SET', KEYS[1], version)
    end
    return string.match(redis.call('INFO', 'server'), 'run_id:(%x+)') .. ':' .. version`,
  parseCommand(parser: Parser, key: string, unused: string) {
    parser.pushKey(key);
    parser.push(unused);
  },
  transformReply: (reply: unknown) => reply as string,
});

/** Replaces the record of a session, unless the record was changed since it was read. */
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

/** Makes the ends of sessions known, and adds those whose end was not known to a set. Returns which ones these are. */
const takeOverExpired = defineScript({
  NUMBER_OF_KEYS: 2,
  SCRIPT: `
    local expiries = redis.call('ZMSCORE', KEYS[1], unpack(ARGV, 2))
    local taken = {}
    for at = 2, #ARGV do
      local expiry = expiries[at - 1]
      taken[at - 1] = 0
      if expiry and tonumber(expiry) > ${known} then
        redis.call('ZADD', KEYS[1], ${known}, ARGV[at])
        redis.call('ZADD', KEYS[2], ARGV[1], ARGV[at])
        taken[at - 1] = 1
      end
    end
    return taken`,
  parseCommand(parser: Parser, expiryKey: string, setKey: string, score: number, members: readonly string[]) {
    parser.pushKey(expiryKey);
    parser.pushKey(setKey);
    parser.push(String(score), ...members);
  },
  transformReply: (reply: unknown) => (reply as readonly number[]).map((taken) => taken === 1),
});

export const scripts = {
  ...{ touchSessions, readSessions, readVersion, replaceSession, takeOverExpired },
  ...fieldScripts,
};

/** A connection whose client has the scripts. */
export type SessionConnection = RedisConnection<typeof scripts>;
export type RunScript = SessionConnection['run'];
/** Commands that Redis runs together or not at all. */
export type Transaction = ReturnType<RedisClient<typeof scripts>['multi']>;

const maxKeysPerCall = 100;

/** Splits keys into several calls of a script. Redis runs no other command while a script runs. */
export function splitIntoCalls<Key>(keys: readonly Key[]): readonly (readonly Key[])[] {
  return Array.from({ length: Math.ceil(keys.length / maxKeysPerCall) }, (_, at) =>
    keys.slice(at * maxKeysPerCall, (at + 1) * maxKeysPerCall),
  );
}
