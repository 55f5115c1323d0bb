import type { Operator } from './ast.ts';
import type { Literal } from './check.ts';
import { FilterError } from './filter-error.ts';
import type { Reader } from './reader.ts';
import { expect, next, peek, skipSymbol, skipWord, unexpected } from './reader.ts';

const maxListValues = 256;

/** Reads the right side of a comparison: one value, two for `between`, a list for `in`. Throws `FilterError`. */
export function parseLiterals(reader: Reader, operator: Operator): Literal[] {
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
