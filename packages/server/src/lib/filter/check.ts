import type { FilterFields } from '../../stores/page.ts';
import type { Comparison, Operand, Operator, ValueType } from './ast.ts';
import { FilterError } from './filter-error.ts';

export interface Literal {
  readonly type: ValueType;
  readonly value: string | number | boolean | null;
}

type Field = Exclude<Operand, { kind: 'any' | 'all' | 'set-count' }> | { kind: 'set'; column: string | null };

const tagPrefix = 'tags.';

/** Returns the field of a symbol. `tags.<key>` is one tag. Throws `FilterError` for an unknown symbol. */
export function fieldOf(symbol: string, fields: FilterFields): Field {
  const field = Object.hasOwn(fields, symbol) ? fields[symbol] : undefined;
  if (field && field.type !== 'tags') return { kind: field.type, column: field.column };
  const tags = Object.hasOwn(fields, 'tags') ? fields.tags : undefined;
  if (tags?.type === 'tags' && symbol.startsWith(tagPrefix)) {
    return { kind: 'tag', column: tags.column, key: symbol.slice(tagPrefix.length) };
  }
  throw new FilterError(`unknown symbol ${symbol.slice(0, 100)}`);
}

/** Returns the column of a set. Throws `FilterError` when the symbol is not a set. */
export function setOf(symbol: string, fields: FilterFields): string | null {
  const field = fieldOf(symbol, fields);
  if (field.kind !== 'set') throw new FilterError(`${symbol} is not a set`);
  return field.column;
}

const equality: readonly Operator[] = ['=', '!='];
const order: readonly Operator[] = ['=', '!=', '<', '<=', '>', '>=', 'in'];
const operators: Readonly<Record<'string' | 'number' | 'boolean' | 'datetime', readonly Operator[]>> = {
  string: [...order, 'contains', 'icontains'],
  number: [...order, 'contains', 'between'],
  boolean: equality,
  datetime: [...order, 'between'],
};

function operandType(operand: Operand, literal: ValueType): keyof typeof operators {
  if (operand.kind === 'any' || operand.kind === 'all') return 'string';
  if (operand.kind === 'set-count') return 'number';
  if (operand.kind !== 'tag') return operand.kind;
  // A tag has the type of the value in the comparison. A tag of another type counts as null.
  if (literal === 'datetime') throw new FilterError('a tag cannot be compared with a datetime');
  return literal === 'null' ? 'string' : literal;
}

/** Checks the types of a comparison and converts its values to the type of its operand. */
export function checkComparison(parsed: {
  name: string;
  operand: Operand;
  operator: Operator;
  negated: boolean;
  literals: readonly Literal[];
}): Comparison {
  const { name, operand, operator, negated, literals } = parsed;
  const kind = 'compare';
  const literalType = literals[0]?.type ?? 'null';
  if (literals.some((literal) => literal.type !== literalType)) throw new FilterError('the values differ in type');
  const type = operandType(operand, literalType);
  if (!operators[type].includes(operator)) throw new FilterError(`${name} cannot be used with "${operator}"`);
  if (literalType === 'null') {
    if (!equality.includes(operator)) throw new FilterError(`null cannot be used with "${operator}"`);
    return { kind, operand, operator, negated, valueType: 'null', values: [null] };
  }
  if (operator === 'contains' && type === 'number') {
    return {
      kind,
      operand,
      operator,
      negated,
      valueType: 'string',
      values: literals.map(({ value }) => String(value)),
    };
  }
  if (type === 'string' && literalType === 'number') {
    return {
      kind,
      operand,
      operator,
      negated,
      valueType: 'string',
      values: literals.map(({ value }) => String(value)),
    };
  }
  if (type !== literalType) throw new FilterError(`${name} is a ${type} and cannot be compared with a ${literalType}`);
  return { kind, operand, operator, negated, valueType: literalType, values: literals.map(({ value }) => value) };
}
