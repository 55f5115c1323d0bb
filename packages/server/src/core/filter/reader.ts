import { FilterError } from './filter-error.ts';
import type { FilterFields } from './page.ts';
import type { Token } from './tokens.ts';
import { tokenize } from './tokens.ts';

/** The tokens of a filter and the position in them. */
export interface Reader {
  /** The symbols that are known here. */
  fields: FilterFields;
  readonly tokens: readonly Token[];
  at: number;
  terms: number;
  /** The number of sub-queries around the position. */
  subQueries: number;
}

const end: Token = { kind: 'end', text: '', raw: '', value: 0, spaceBefore: false };

export function peek(reader: Reader, ahead = 0): Token {
  return reader.tokens[reader.at + ahead] ?? end;
}

export function next(reader: Reader): Token {
  const token = peek(reader);
  reader.at += 1;
  return token;
}

export function is(token: Token, kind: Token['kind'], text: string): boolean {
  return token.kind === kind && token.text === text;
}

/** Moves past the symbol. Throws `FilterError` if something else is next. */
export function expect(reader: Reader, text: string): void {
  const token = next(reader);
  if (!is(token, 'symbol', text)) throw unexpected(token, `"${text}"`);
}

export function unexpected(token: Token, wanted: string): FilterError {
  const got = token.kind === 'end' ? 'the end of the text' : JSON.stringify(token.raw.slice(0, 40));
  return new FilterError(`expected ${wanted} but found ${got}`);
}

export function startOf(text: string, fields: FilterFields): Reader {
  return { fields, tokens: tokenize(text), at: 0, terms: 0, subQueries: 0 };
}

/** Moves past the word if it is next. Returns whether it was. */
export function skipWord(reader: Reader, text: string): boolean {
  if (!is(peek(reader), 'word', text)) return false;
  reader.at += 1;
  return true;
}

/** Moves past the symbol if it is next. Returns whether it was. */
export function skipSymbol(reader: Reader, text: string): boolean {
  if (!is(peek(reader), 'symbol', text)) return false;
  reader.at += 1;
  return true;
}
