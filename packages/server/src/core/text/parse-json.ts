const maxDepth = 32;
/** Members of all objects of a document. */
const maxMembers = 1_000;
/** Members and elements of a whole document. */
const maxValues = 10_000;
const forbiddenNames = new Set(['__proto__', 'constructor', 'prototype']);
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The bytes cannot be read. The message says why, without a part of them: they may contain a password. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}

/**
 * Reads a JSON document of bounded size: at most 32 levels, 1,000 members and 10,000 values. The bounds apply before a
 * single value is made of the text.
 *
 * @throws Unreadable for a document beyond the bounds, and for bytes that are not JSON in UTF-8
 */
export function parseJson(bytes: Buffer): unknown {
  checkBounds(bytes);
  const value = parse(bytes);
  if (typeof value === 'object' && value !== null) checkNames(value);
  return value;
}

/**
 * Reads text.
 *
 * @throws Unreadable for bytes that are not UTF-8
 */
export function parseText(bytes: Buffer): string {
  const text = decode(bytes);
  if (!isStorable(text)) throw unstorable();
  return text;
}

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openArray, closeArray, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Counts what stands outside of strings. It stops at the first byte that is too much. */
function checkBounds(bytes: Buffer): void {
  let depth = 0;
  let members = 0;
  let values = 0;
  let strings = 0;
  let at = 0;
  while (at < bytes.length) {
    const byte = bytes[at];
    if (byte === quote) {
      strings += 1;
      at = endOfString(bytes, at);
    }
    if (byte === colon) members += 1;
    else if (byte === comma) values += 1;
    else if (byte === openArray || byte === openObject) depth += 1;
    else if (byte === closeArray || byte === closeObject) depth -= 1;
    if (depth > maxDepth) throw new Unreadable(`the body is nested deeper than ${maxDepth} levels`);
    if (members > maxMembers) throw new Unreadable(`the body has more than ${maxMembers} members`);
    if (values > maxValues || strings > maxValues + maxMembers)
      throw new Unreadable(`the body has more than ${maxValues} values`);
    at += 1;
  }
}

function parse(bytes: Buffer): unknown {
  const text = decode(bytes);
  try {
    return JSON.parse(text);
  } catch {
    throw new Unreadable('the body is not valid JSON');
  }
}

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new Unreadable('the body is not valid UTF-8');
  }
}

/** PostgreSQL can store neither, and no name or password has one. */
function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

function unstorable(): Unreadable {
  return new Unreadable('the body has a NUL character or half a surrogate pair');
}

function checkNames(value: object): void {
  const isArray = Array.isArray(value);
  for (const name of Object.keys(value)) {
    if (!isArray && forbiddenNames.has(name)) throw new Unreadable('the body has a member with a forbidden name');
    const member: unknown = (value as Record<string, unknown>)[name];
    if (!isStorable(name) || (typeof member === 'string' && !isStorable(member))) throw unstorable();
    // What is beyond the doubles is read as infinite, which JSON cannot write: it would be stored as null.
    if (member === Infinity || member === -Infinity) throw new Unreadable('the body has a number that is too large');
    if (typeof member === 'object' && member !== null) checkNames(member);
  }
}

/**
 * Index of the quote that ends the JSON string which begins at `start`; the length of the bytes when nothing ends it. It
 * reads each byte once: a search for the next quote would begin anew at each escaped one.
 */
export function endOfString(json: Buffer, start: number): number {
  for (let at = start + 1; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === backslash) at += 1;
    else if (byte === quote) return at;
  }
  return json.length;
}
