import type { Comparison, Operand, Operator } from './ast.ts';
import { FilterError } from './filter-error.ts';
import type { FilterFields, SetField, ValueSource, ValueType } from './page.ts';

export interface Literal {
  readonly type: Comparison['valueType'];
  readonly value: string | number | boolean | null;
}

type Field =
  | ({ readonly kind: ValueType } & ValueSource)
  | Extract<Operand, { kind: 'tag' }>
  | { readonly kind: 'set'; readonly field: SetField };

const tagPrefix = 'tags.';

/** Returns the field of a symbol. `tags.<key>` is one tag. Throws `FilterError` for an unknown symbol. */
export function fieldOf(symbol: string, fields: FilterFields): Field {
  const field = Object.hasOwn(fields, symbol) ? fields[symbol] : undefined;
  if (field?.type === 'set') return { kind: 'set', field };
  if (field && field.type !== 'tags') {
    const { type: kind, ...source } = field;
    return { kind, ...source };
  }
  const tags = Object.hasOwn(fields, 'tags') ? fields.tags : undefined;
  if (tags?.type === 'tags' && symbol.startsWith(tagPrefix)) {
    return { kind: 'tag', column: tags.column, key: symbol.slice(tagPrefix.length) };
  }
  throw new FilterError(`unknown symbol ${symbol.slice(0, 100)}`);
}

/** Returns the field of a set. Throws `FilterError` when the symbol is not a set. */
export function setOf(symbol: string, fields: FilterFields): SetField {
  const found = fieldOf(symbol, fields);
  if (found.kind !== 'set') throw new FilterError(`${symbol} is not a set`);
  return found.field;
}

const equality: readonly Operator[] = ['=', '!='];
const order: readonly Operator[] = ['=', '!=', '<', '<=', '>', '>=', 'in'];
const operators: Readonly<Record<ValueType, readonly Operator[]>> = {
  string: [...order, 'contains', 'icontains'],
  number: [...order, 'contains', 'between'],
  boolean: equality,
  datetime: [...order, 'between'],
};

function operandType(operand: Operand, literal: Literal['type']): ValueType {
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
  const literalType = literals[0]?.type ?? 'null';
  const values = literals.map(({ value }) => value);
  const compare = { kind: 'compare', operand, operator, negated } as const;
  if (literals.some((literal) => literal.type !== literalType)) throw new FilterError('the values differ in type');
  const type = operandType(operand, literalType);
  if (!operators[type].includes(operator)) throw new FilterError(`${name} cannot be used with "${operator}"`);
  if (literalType === 'null') {
    if (!equality.includes(operator)) throw new FilterError(`null cannot be used with "${operator}"`);
    return { ...compare, valueType: 'null', values };
  }
  const isText = literalType === 'number' || literalType === 'string';
  if (isText && (type === 'string' || (type === 'number' && operator === 'contains')))
    return { ...compare, valueType: 'string', values: values.map(String) };
  if (type !== literalType) throw new FilterError(`${name} is a ${type} and cannot be compared with a ${literalType}`);
  return { ...compare, valueType: literalType, values };
}
