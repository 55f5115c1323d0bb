import { ApiError } from '../api-error.ts';

const maxDepth = 32;
/** Members and elements of a whole document. */
const maxValues = 10_000;
const forbiddenNames = new Set(['__proto__', 'constructor', 'prototype']);
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Reads a JSON object. `null` counts as `{}`. Anything else is 400 `COULD_NOT_PARSE_BODY`, without quoting the body. */
export function parseJsonObject(bytes: Buffer): Record<string, unknown> {
  const value = parse(bytes);
  if (value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value)) throw unparsable('the body is not a JSON object');
  checkShape(value, 1, { left: maxValues });
  return value as Record<string, unknown>;
}

/** 400 for a body that cannot be read at all; `message` says why. */
export function unparsable(message: string): ApiError {
  return new ApiError('COULD_NOT_PARSE_BODY', { cause: { code: 'UNHANDLED', message } });
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch {
    // The message of the parser quotes the text, which may hold a password.
    throw unparsable('the body is not valid JSON');
  }
}

/** PostgreSQL can hold neither, and no name or password has one. */
function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

function checkShape(value: object, depth: number, budget: { left: number }): void {
  if (depth > maxDepth) throw unparsable(`the body is nested deeper than ${maxDepth} levels`);
  const names = Object.keys(value);
  budget.left -= names.length;
  if (budget.left < 0) throw unparsable(`the body has more than ${maxValues} members`);
  const isArray = Array.isArray(value);
  for (const name of names) {
    if (!isArray && forbiddenNames.has(name)) throw unparsable('the body has a member with a forbidden name');
    const member: unknown = (value as Record<string, unknown>)[name];
    if (!isStorable(name) || (typeof member === 'string' && !isStorable(member))) {
      throw unparsable('the body has a NUL character or half a surrogate pair');
    }
    if (typeof member === 'object' && member !== null) checkShape(member, depth + 1, budget);
  }
}
