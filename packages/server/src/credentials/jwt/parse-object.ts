import { parseJson, Unreadable } from '../../core/text/parse-json.ts';
import type { JwtCheckName } from './broken-check.ts';
import { BrokenCheck } from './broken-check.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Reads a JSON object in which no member occurs twice, at any depth. Parsers do not agree which of the two counts.
 *
 * @throws BrokenCheck of the check given
 */
export function parseObject(bytes: Buffer, check: JwtCheckName): JsonObject {
  const fail = (received: string) => new BrokenCheck(check, 'a JSON object without duplicate members', received);
  // The decoder of `parseJson` would leave it out.
  if (bytes[0] === byteOrderMark) throw fail('a byte order mark');
  let value: unknown;
  try {
    value = parseJson(bytes);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    throw fail('no JSON in UTF-8, or JSON beyond the limits');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw fail('another JSON value');
  if (countWritten(bytes) !== countMembers(value)) throw fail('a member that occurs twice');
  return value as JsonObject;
}

const byteOrderMark = 0xef;
const [quote, backslash, colon] = [0x22, 0x5c, 0x3a];

/** Members as written in valid JSON: each has one colon outside of strings. `JSON.parse` drops all but one of the same name. */
function countWritten(bytes: Buffer): number {
  let members = 0;
  let inString = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (inString && byte === backslash) at += 1;
    else if (byte === quote) inString = !inString;
    else if (byte === colon && !inString) members += 1;
  }
  return members;
}

function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const entries = Object.values(value);
  const own = Array.isArray(value) ? 0 : entries.length;
  return entries.reduce<number>((sum, entry) => sum + countMembers(entry), own);
}
