import type { Expression, Operand, Operator, ParsedFilter, SetOperand, SortField } from './ast.ts';
import { checkComparison, fieldOf, setOf } from './check.ts';
import { FilterError } from './filter-error.ts';
import type { FilterFields } from './page.ts';
import { parseLiterals } from './parse-literals.ts';
import type { Reader } from './reader.ts';
import { expect, is, next, peek, skipSymbol, skipWord, startOf, unexpected } from './reader.ts';
import type { Token } from './tokens.ts';

const maxDepth = 16;
const maxTerms = 32;
const maxSortFields = 5;
const maxSubQueries = 2;
const symbols = new Set(['=', '!=', '<', '<=', '>', '>=']);
const wordOperators = new Set(['in', 'contains', 'icontains', 'between']);
const quantifiers: Readonly<Record<string, 'any' | 'all' | 'set-count'>> = {
  anyof: 'any',
  allof: 'all',
  count: 'set-count',
};

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
    const { kind: type, ...source } = field;
    sort.push({ type, ...source, descending });
  } while (skipSymbol(reader, ','));
  return sort.slice(0, maxSortFields);
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
  return parseTerm(reader, depth);
}

function parseTerm(reader: Reader, depth: number): Expression {
  reader.terms += 1;
  if (reader.terms > maxTerms) throw new FilterError(`more than ${maxTerms} terms`);
  const token = next(reader);
  if (token.kind !== 'word') throw unexpected(token, 'a field');
  if (token.text === 'true' || token.text === 'false') return { kind: 'constant', value: token.text === 'true' };
  if (is(peek(reader), 'symbol', '(')) return parseFunction(reader, token, depth);
  const field = fieldOf(token.raw, reader.fields);
  if (field.kind === 'set') throw new FilterError(`${token.raw} is a set: use anyOf, allOf, count or isEmpty`);
  if (field.kind === 'boolean' && !startsOperator(reader)) {
    return { kind: 'compare', operand: field, operator: '=', negated: false, valueType: 'boolean', values: [true] };
  }
  return parseComparison(reader, token.raw, field);
}

function parseFunction(reader: Reader, name: Token, depth: number): Expression {
  const { text } = name;
  const kind = Object.hasOwn(quantifiers, text) ? quantifiers[text] : undefined;
  if (!kind && text !== 'isempty') throw new FilterError(`unknown function ${name.raw}`);
  reader.at += 1;
  const start = next(reader);
  if (start.kind !== 'word') throw unexpected(start, 'a set');
  const isSubQuery = start.text === 'from' && peek(reader).kind === 'word';
  if (isSubQuery && (kind === 'any' || kind === 'all'))
    throw new FilterError(`a sub-query cannot be used in ${name.raw}`);
  const operand = isSubQuery ? parseSubQuery(reader, depth) : { set: setOf(start.raw, reader.fields).set, where: null };
  expect(reader, ')');
  if (!kind) return { kind: 'isEmpty', ...operand };
  return parseComparison(reader, `${name.raw}(${start.raw})`, { kind, ...operand });
}

/** Reads `configs where <expression>`. The expression has the symbols of the rows that the set refers to. */
function parseSubQuery(reader: Reader, depth: number): SetOperand {
  const name = next(reader);
  const { set, to } = setOf(name.raw, reader.fields);
  if (!to) throw new FilterError(`${name.raw} cannot be used in a sub-query`);
  if (!skipWord(reader, 'where')) throw unexpected(peek(reader), '"where"');
  reader.subQueries += 1;
  if (reader.subQueries > maxSubQueries) throw new FilterError(`sub-queries are nested deeper than ${maxSubQueries}`);
  const outer = reader.fields;
  reader.fields = to.fields();
  const expression = parseExpression(reader, depth + 1);
  reader.fields = outer;
  reader.subQueries -= 1;
  return { set, where: { table: to.table, expression } };
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
