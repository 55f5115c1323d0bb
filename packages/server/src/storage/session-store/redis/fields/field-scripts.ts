import { defineScript } from 'redis';
import type { AddedCertificate } from '../../session-certificates.ts';
import type { ReplacedData } from '../../session-data.ts';
import type { Parser } from '../parser.ts';

/** A field of the hash of an API session. */
export interface Field {
  readonly key: string;
  readonly name: string;
}

/** With more fields than this, those of certificates are found by a list of their ids. */
const maxScannedFields = 1_000;

/**
 * `idsOf(key)` returns the ids of the certificates of a session, `setIds(key, ids)` stores them. An older version of the
 * controller stores no ids, so a hash without many fields is read instead. An API session may have thousands of sessions: then
 * that would take long.
 */
const certificateIds = `
  local list, prefix = 'certificates', 'certificate:'
  local function idsOf(key)
    local ids = {}
    local known = redis.call('HGET', key, list)
    if known and redis.call('HLEN', key) > ${maxScannedFields} then
      for id in string.gmatch(known, '%S+') do ids[#ids + 1] = id end
    else
      for _, field in ipairs(redis.call('HKEYS', key)) do
        if string.sub(field, 1, #prefix) == prefix then ids[#ids + 1] = string.sub(field, #prefix + 1) end
      end
    end
    return ids
  end
  local function setIds(key, ids) redis.call('HSET', key, list, table.concat(ids, ' ')) end`;

function pairsOf(reply: unknown): readonly { readonly name: string; readonly value: string }[] {
  const texts = reply as readonly string[];
  return Array.from({ length: texts.length / 2 }, (_, at) => ({
    name: texts[2 * at] ?? '',
    value: texts[2 * at + 1] ?? '',
  }));
}

/** Reads the names and values of the fields of certificates. */
const readCertificates = defineScript({
  NUMBER_OF_KEYS: 1,
  SCRIPT: `${certificateIds}
    local fields = {}
    for _, id in ipairs(idsOf(KEYS[1])) do
      local value = redis.call('HGET', KEYS[1], prefix .. id)
      if value then
        fields[#fields + 1] = prefix .. id
        fields[#fields + 1] = value
      end
    end
    return fields`,
  parseCommand(parser: Parser, key: string) {
    parser.pushKey(key);
  },
  transformReply: pairsOf,
});

/**
 * Removes certificates of a session and adds one, unless the session does not exist, or would then have more than `limit`. Never
 * creates a session and never changes its TTL.
 */
const addCertificate = defineScript({
  NUMBER_OF_KEYS: 1,
  SCRIPT: `${certificateIds}
    if redis.call('HEXISTS', KEYS[1], 'record') == 0 then return 'no session' end
    local removed = {}
    for at = 4, #ARGV do removed[ARGV[at]] = true end
    local kept = {}
    for _, id in ipairs(idsOf(KEYS[1])) do if not removed[id] then kept[#kept + 1] = id end end
    if #kept >= tonumber(ARGV[1]) then return 'full' end
    for id in pairs(removed) do redis.call('HDEL', KEYS[1], prefix .. id) end
    redis.call('HSET', KEYS[1], prefix .. ARGV[2], ARGV[3])
    kept[#kept + 1] = ARGV[2]
    setIds(KEYS[1], kept)
    return 'added'`,
  parseCommand(
    parser: Parser,
    key: string,
    { limit, id, value, removedIds }: { limit: number; id: string; value: string; removedIds: readonly string[] },
  ) {
    parser.pushKey(key);
    parser.push(String(limit), id, value, ...removedIds);
  },
  transformReply: (reply: unknown) => reply as AddedCertificate,
});

/** Removes a certificate of a session. */
const removeCertificate = defineScript({
  NUMBER_OF_KEYS: 1,
  SCRIPT: `${certificateIds}
    local ids = idsOf(KEYS[1])
    if redis.call('HDEL', KEYS[1], prefix .. ARGV[1]) == 0 then return 0 end
    local kept = {}
    for _, id in ipairs(ids) do if id ~= ARGV[1] then kept[#kept + 1] = id end end
    setIds(KEYS[1], kept)
    return 1`,
  parseCommand(parser: Parser, key: string, id: string) {
    parser.pushKey(key);
    parser.push(id);
  },
  transformReply: (reply: unknown) => reply === 1,
});

/** A field with the key of an index, and its member there. */
export interface IndexedField extends Field {
  readonly index: string;
  readonly member: string;
}

/**
 * Returns the value of a field, or sets it and adds its member when there is none. `full`: the hash would have more than `limit`
 * fields that begin with `prefix`. Never creates a session and never changes its TTL.
 */
const openField = defineScript({
  NUMBER_OF_KEYS: 2,
  SCRIPT: `
    local key, name, value, member, prefix, limit = KEYS[1], ARGV[1], ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[5])
    if redis.call('HEXISTS', key, 'record') == 0 then return 'no session' end
    local present = redis.call('HGET', key, name)
    if present then return present end
    if redis.call('HLEN', key) > limit then
      local count = 0
      for _, field in ipairs(redis.call('HKEYS', key)) do
        if string.sub(field, 1, #prefix) == prefix then count = count + 1 end
      end
      if count >= limit then return 'full' end
    end
    redis.call('ZADD', KEYS[2], 0, member)
    redis.call('HSET', key, name, value)
    return value`,
  parseCommand(
    parser: Parser,
    { key, index, name, member }: IndexedField,
    { value, prefix, limit }: { value: string; prefix: string; limit: number },
  ) {
    parser.pushKey(key);
    parser.pushKey(index);
    parser.push(name, value, member, prefix, String(limit));
  },
  transformReply: (reply: unknown) => reply as string,
});

/** Removes a field and its member if the value of the field contains a text. */
const removeField = defineScript({
  NUMBER_OF_KEYS: 2,
  SCRIPT: `
    local value = redis.call('HGET', KEYS[1], ARGV[1])
    if not value or not string.find(value, ARGV[2], 1, true) then return 0 end
    redis.call('ZREM', KEYS[2], ARGV[3])
    return redis.call('HDEL', KEYS[1], ARGV[1])`,
  parseCommand(parser: Parser, { key, index, name, member }: IndexedField, part: string) {
    parser.pushKey(key);
    parser.pushKey(index);
    parser.push(name, part, member);
  },
  transformReply: (reply: unknown) => reply === 1,
});

/** Replaces the value of a field unless it was changed since it was read. `''`: there was none. */
const replaceField = defineScript({
  NUMBER_OF_KEYS: 1,
  SCRIPT: `
    if redis.call('HEXISTS', KEYS[1], 'record') == 0 then return 'no session' end
    if (redis.call('HGET', KEYS[1], ARGV[1]) or '') ~= ARGV[2] then return 'changed' end
    redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
    return 'replaced'`,
  parseCommand(parser: Parser, { key, name }: Field, before: string, after: string) {
    parser.pushKey(key);
    parser.push(name, before, after);
  },
  transformReply: (reply: unknown) => reply as ReplacedData,
});

/** Reads one field of each of some hashes. */
const readFields = defineScript({
  SCRIPT: `
    local values = {}
    for at, key in ipairs(KEYS) do values[at] = redis.call('HGET', key, ARGV[at]) end
    return values`,
  parseCommand(parser: Parser, fields: readonly Field[]) {
    parser.push(String(fields.length));
    for (const { key } of fields) parser.pushKey(key);
    parser.push(...fields.map(({ name }) => name));
  },
  transformReply: (reply: unknown) => reply as readonly (string | null)[],
});

/** Reads the names and values of the fields that begin with a prefix. */
const readFieldsWith = defineScript({
  NUMBER_OF_KEYS: 1,
  SCRIPT: `
    local all, found = redis.call('HGETALL', KEYS[1]), {}
    for at = 1, #all, 2 do
      if string.sub(all[at], 1, #ARGV[1]) == ARGV[1] then
        found[#found + 1] = all[at]
        found[#found + 1] = all[at + 1]
      end
    end
    return found`,
  parseCommand(parser: Parser, key: string, prefix: string) {
    parser.pushKey(key);
    parser.push(prefix);
  },
  transformReply: pairsOf,
});

export const fieldScripts = {
  readCertificates,
  addCertificate,
  removeCertificate,
  openField,
  removeField,
  replaceField,
  readFields,
  readFieldsWith,
};
