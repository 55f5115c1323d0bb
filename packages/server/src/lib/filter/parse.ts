import type { FilterFields } from '../../stores/page.ts';
import type { Expression, Operand, Operator, ParsedFilter, SortField } from './ast.ts';
import type { Literal } from './check.ts';
import { checkComparison, fieldOf, setOf } from './check.ts';
import { FilterError } from './filter-error.ts';
import type { Token } from './tokens.ts';
import { tokenize } from './tokens.ts';

const maxDepth = 16;
const maxTerms = 32;
const maxListValues = 256;
const maxSortFields = 5;
const symbols = new Set(['=', '!=', '<', '<=', '>', '>=']);
const wordOperators = new Set(['in', 'contains', 'icontains', 'between']);
const quantifiers: Readonly<Record<string, 'any' | 'all' | 'set-count'>> = {
  anyof: 'any',
  allof: 'all',
  count: 'set-count',
};

interface Reader {
  readonly fields: FilterFields;
  readonly tokens: readonly Token[];
  at: number;
  terms: number;
}

const end: Token = { kind: 'end', text: '', raw: '', value: 0, spaceBefore: false };

function peek(reader: Reader, ahead = 0): Token {
  return reader.tokens[reader.at + ahead] ?? end;
}

function next(reader: Reader): Token {
  const token = peek(reader);
  reader.at += 1;
  return token;
}

function is(token: Token, kind: Token['kind'], text: string): boolean {
  return token.kind === kind && token.text === text;
}

function expect(reader: Reader, text: string): void {
  const token = next(reader);
  if (!is(token, 'symbol', text)) throw unexpected(token, `"${text}"`);
}

function unexpected(token: Token, wanted: string): FilterError {
  const got = token.kind === 'end' ? 'the end of the text' : JSON.stringify(token.raw.slice(0, 40));
  return new FilterError(`expected ${wanted} but found ${got}`);
}

function startOf(text: string, fields: FilterFields): Reader {
  return { fields, tokens: tokenize(text), at: 0, terms: 0 };
}

/**
 * Parses a `filter` parameter and checks its types against `fields`. `and` and `or` have the same precedence and group
 * to the right. The time is linear in the length of the text. Throws `FilterError`.
 */
export function parseFilter(text: string, fields: FilterFields): ParsedFilter {
  if (text === '') return { expression: null, sort: null, skip: null, limit: null };
  const reader = startOf(text, fields);
  if (peek(reader).kind === 'end') throw unexpected(peek(reader), 'a filter');
  const expression = startsPaging(reader) ? null : parseExpression(reader, 0);
  const sort = startsSort(reader) ? parseSortBy(reader) : null;
  const skip = skipWord(reader, 'skip') ? parseInteger(reader) : null;
  const limit = skipWord(reader, 'limit') ? (skipWord(reader, 'none') ? -1 : parseInteger(reader)) : null;
  if (peek(reader).kind !== 'end') throw unexpected(peek(reader), 'the end of the filter');
  return { expression, sort, skip, limit };
}

/** Parses a `sort` parameter: `name desc, createdAt`. Fields after the fifth are checked and then ignored. */
export function parseSort(text: string, fields: FilterFields): readonly SortField[] {
  const reader = startOf(text, fields);
  if (peek(reader).kind === 'end') return [];
  const sort = parseSortFields(reader);
  if (peek(reader).kind !== 'end') throw unexpected(peek(reader), '","');
  return sort;
}

function startsSort(reader: Reader): boolean {
  return is(peek(reader), 'word', 'sort') && is(peek(reader, 1), 'word', 'by');
}

function startsPaging(reader: Reader): boolean {
  return (
    startsSort(reader) ||
    (is(peek(reader), 'word', 'skip') && peek(reader, 1).kind === 'number') ||
    (is(peek(reader), 'word', 'limit') && (peek(reader, 1).kind === 'number' || is(peek(reader, 1), 'word', 'none')))
  );
}

function skipWord(reader: Reader, text: string): boolean {
  if (!is(peek(reader), 'word', text)) return false;
  reader.at += 1;
  return true;
}

function parseInteger(reader: Reader): number {
  const token = next(reader);
  if (token.kind !== 'number' || !/^-?[0-9]+$/.test(token.text)) throw unexpected(token, 'an integer');
  return token.value;
}

function parseSortBy(reader: Reader): readonly SortField[] {
  reader.at += 2;
  return parseSortFields(reader);
}

function parseSortFields(reader: Reader): readonly SortField[] {
  const sort: SortField[] = [];
  do {
    const token = next(reader);
    if (token.kind !== 'word') throw unexpected(token, 'a field to sort by');
    const field = fieldOf(token.raw, reader.fields);
    if (field.kind === 'tag' || field.kind === 'set') throw new FilterError(`cannot sort by ${token.raw}`);
    const descending = skipWord(reader, 'desc');
    if (!descending) skipWord(reader, 'asc');
    sort.push({ column: field.column, type: field.kind, descending });
  } while (skipSymbol(reader, ','));
  return sort.slice(0, maxSortFields);
}

function skipSymbol(reader: Reader, text: string): boolean {
  if (!is(peek(reader), 'symbol', text)) return false;
  reader.at += 1;
  return true;
}

function parseExpression(reader: Reader, depth: number): Expression {
  if (depth > maxDepth) throw new FilterError(`nested deeper than ${maxDepth}`);
  const left = parseUnary(reader, depth);
  const token = peek(reader);
  if (token.kind !== 'word' || (token.text !== 'and' && token.text !== 'or')) return left;
  reader.at += 1;
  if (!token.spaceBefore || !peek(reader).spaceBefore)
    throw new FilterError(`white space is needed around "${token.raw}"`);
  // The depth does not increase: a chain of `and` and `or` is not nested, and `maxTerms` limits its length.
  return { kind: token.text, left, right: parseExpression(reader, depth) };
}

function parseUnary(reader: Reader, depth: number): Expression {
  if (skipWord(reader, 'not')) {
    if (!peek(reader).spaceBefore) throw new FilterError('white space is needed after "not"');
    // `not` applies to everything on its right: `not a and b` is `not (a and b)`.
    return { kind: 'not', inner: parseExpression(reader, depth + 1) };
  }
  if (skipSymbol(reader, '(')) {
    const inner = parseExpression(reader, depth + 1);
    expect(reader, ')');
    return inner;
  }
  return parseTerm(reader);
}

function parseTerm(reader: Reader): Expression {
  reader.terms += 1;
  if (reader.terms > maxTerms) throw new FilterError(`more than ${maxTerms} terms`);
  const token = next(reader);
  if (token.kind !== 'word') throw unexpected(token, 'a field');
  if (token.text === 'true' || token.text === 'false') return { kind: 'constant', value: token.text === 'true' };
  if (is(peek(reader), 'symbol', '(')) return parseFunction(reader, token);
  const field = fieldOf(token.raw, reader.fields);
  if (field.kind === 'set') throw new FilterError(`${token.raw} is a set: use anyOf, allOf, count or isEmpty`);
  if (field.kind === 'boolean' && !startsOperator(reader)) {
    return { kind: 'compare', operand: field, operator: '=', negated: false, valueType: 'boolean', values: [true] };
  }
  return parseComparison(reader, token.raw, field);
}

function parseFunction(reader: Reader, name: Token): Expression {
  reader.at += 1;
  const argument = next(reader);
  if (argument.kind !== 'word') throw unexpected(argument, 'a set');
  if (argument.text === 'from' && peek(reader).kind === 'word') throw new FilterError('sub-queries are not supported');
  const column = setOf(argument.raw, reader.fields);
  expect(reader, ')');
  if (name.text === 'isempty') return { kind: 'isEmpty', column };
  const kind = Object.hasOwn(quantifiers, name.text) ? quantifiers[name.text] : undefined;
  if (!kind) throw new FilterError(`unknown function ${name.raw}`);
  return parseComparison(reader, `${name.raw}(${argument.raw})`, { kind, column });
}

function startsOperator(reader: Reader): boolean {
  const token = peek(reader);
  if (token.kind === 'symbol') return symbols.has(token.text);
  return token.kind === 'word' && (wordOperators.has(token.text) || token.text === 'not');
}

function parseComparison(reader: Reader, name: string, operand: Operand): Expression {
  const negated = skipWord(reader, 'not');
  const token = next(reader);
  const known = token.kind === 'word' ? wordOperators : token.kind === 'symbol' && !negated ? symbols : new Set();
  if (!known.has(token.text)) throw unexpected(token, `an operator after ${name}`);
  const operator = token.text as Operator;
  return checkComparison({ name, operand, operator, negated, literals: parseLiterals(reader, operator) });
}

function parseLiterals(reader: Reader, operator: Operator): Literal[] {
  if (operator === 'between') {
    const low = parseLiteral(reader);
    if (!skipWord(reader, 'and')) throw unexpected(peek(reader), '"and"');
    return [low, parseLiteral(reader)];
  }
  if (operator !== 'in') return [parseLiteral(reader)];
  expect(reader, '[');
  const literals: Literal[] = [];
  do {
    literals.push(parseLiteral(reader));
    if (literals.length > maxListValues) throw new FilterError(`more than ${maxListValues} values in a list`);
  } while (skipSymbol(reader, ','));
  expect(reader, ']');
  return literals;
}

function parseLiteral(reader: Reader): Literal {
  const token = next(reader);
  if (token.kind === 'string') return { type: 'string', value: token.text };
  if (token.kind === 'number') return { type: 'number', value: token.value };
  if (token.kind === 'datetime') return { type: 'datetime', value: token.value };
  if (token.kind === 'word' && token.text === 'null') return { type: 'null', value: null };
  if (token.kind === 'word' && token.text === 'true') return { type: 'boolean', value: true };
  if (token.kind === 'word' && token.text === 'false') return { type: 'boolean', value: false };
  throw unexpected(token, 'a value');
}
