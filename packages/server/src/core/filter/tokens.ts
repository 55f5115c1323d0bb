import { FilterError } from './filter-error.ts';

export interface Token {
  readonly kind: 'word' | 'string' | 'number' | 'datetime' | 'symbol' | 'end';
  /** A word in lower case; a string without its quotes and escapes. */
  readonly text: string;
  readonly raw: string;
  /** The value of a number, milliseconds since 1970 for a datetime, otherwise 0. */
  readonly value: number;
  readonly spaceBefore: boolean;
}

const maxBytes = 4096;
const minTime = Date.parse('0000-01-01T00:00:00Z');
const maxTime = Date.parse('9999-12-31T23:59:59.999Z');
const space = /[ \t\r\n\f]+/y;
const word = /[A-Za-z][A-Za-z_]*(?:\.[A-Za-z][A-Za-z_-]*)*/y;
const number = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const symbol = /!=|<=|>=|[=<>()[\],]/y;
const datetime =
  /datetime\([ \t]*([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,9})?(?:Z|[+-][0-9]{2}:[0-9]{2}))[ \t]*\)/y;
const escapes: Readonly<Record<string, string>> = { '\\': '\\', '"': '"', n: '\n', r: '\r', t: '\t', f: '\f' };

/** Splits a filter into tokens in one pass. Throws `FilterError` for a text over 4 KiB and for unknown characters. */
export function tokenize(text: string): Token[] {
  if (text.length > maxBytes || Buffer.byteLength(text) > maxBytes)
    throw new FilterError('the text is longer than 4 KiB');
  if (text.includes('\0')) throw new FilterError('the text contains a NUL character');
  const tokens: Token[] = [];
  let at = 0;
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found) at += found[0].length;
    return found;
  };
  for (;;) {
    const spaceBefore = match(space) !== null;
    const start = at;
    const add = (kind: Token['kind'], content: string, value = 0) =>
      tokens.push({ kind, text: content, raw: text.slice(start, at), value, spaceBefore });
    if (at >= text.length) {
      add('end', '');
      return tokens;
    }
    if (text[at] === '"') {
      const content = readString(text, at);
      at = content.end;
      add('string', content.text);
      continue;
    }
    const date = match(datetime);
    if (date) {
      const value = Date.parse(date[1] ?? '');
      // Other years have no RFC 3339 text, so the databases could not compare them.
      if (!(value >= minTime && value <= maxTime)) throw new FilterError(`${date[0]} is not a date`);
      add('datetime', date[0], value);
      continue;
    }
    const found = match(word) ?? match(number) ?? match(symbol);
    if (!found) throw new FilterError(`unexpected character at position ${at + 1}`);
    const first = found[0].charCodeAt(0);
    if (/[A-Za-z0-9-]/.test(found[0].charAt(0)) && /[A-Za-z0-9_.]/.test(text.charAt(at))) {
      throw new FilterError(`unexpected character at position ${at + 1}`);
    }
    if (/[A-Za-z]/.test(found[0].charAt(0))) add('word', found[0].toLowerCase());
    else if (first === 45 || (first >= 48 && first <= 57)) add('number', found[0], finite(found[0]));
    else add('symbol', found[0]);
  }
}

function finite(text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value)) throw new FilterError(`the number ${text.slice(0, 40)} is too large`);
  return value;
}

function readString(text: string, start: number): { text: string; end: number } {
  let content = '';
  for (let at = start + 1; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '"') return { text: content, end: at + 1 };
    if (character !== '\\') {
      content += character;
      continue;
    }
    at += 1;
    const escaped = escapes[text.charAt(at)];
    if (escaped === undefined) throw new FilterError(`unknown escape in a string at position ${at}`);
    content += escaped;
  }
  throw new FilterError('a string is not closed');
}
