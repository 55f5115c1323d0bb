import type { Comparison, Expression, Operand, SortField } from './ast.ts';

/** A row for the evaluator: datetimes are milliseconds, sets are arrays of strings, tags are an object. */
export type Row = Readonly<Record<string, unknown>>;

type Value = string | number | boolean | null;

/** Returns whether a row matches a filter. The result is the same as in the databases. */
export function evaluate(expression: Expression, row: Row): boolean {
  switch (expression.kind) {
    case 'and':
      return evaluate(expression.left, row) && evaluate(expression.right, row);
    case 'or':
      return evaluate(expression.left, row) || evaluate(expression.right, row);
    case 'not':
      return !evaluate(expression.inner, row);
    case 'constant':
      return expression.value;
    case 'isEmpty':
      return elements(expression, row).length === 0;
    case 'compare':
      return compareOperand(expression, row);
  }
}

/** Compares two rows by a sort order. In ascending order null comes first. */
export function compareRows(sort: readonly SortField[], left: Row, right: Row): number {
  for (const field of sort) {
    const difference = compareNullable(plain(field.column, left), plain(field.column, right));
    if (difference !== 0) return field.descending ? -difference : difference;
  }
  return 0;
}

function compareNullable(left: Value, right: Value): number {
  if (left === null || right === null) return Number(left !== null) - Number(right !== null);
  return compareValues(left, right);
}

function compareValues(left: Value, right: Value): number {
  // Both databases compare the bytes of UTF-8. JavaScript orders characters above U+FFFF differently.
  if (typeof left === 'string' && typeof right === 'string')
    return Buffer.compare(Buffer.from(left), Buffer.from(right));
  return Number(left) - Number(right);
}

function plain(column: string | null, row: Row): Value {
  const value = column === null || !Object.hasOwn(row, column) ? null : row[column];
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
}

function elements({ column }: { column: string | null }, row: Row): readonly string[] {
  const value = column === null ? [] : row[column];
  return Array.isArray(value) ? value : [];
}

function tag(operand: Extract<Operand, { kind: 'tag' }>, row: Row): Value {
  const tags = operand.column === null ? null : row[operand.column];
  if (typeof tags !== 'object' || tags === null || !Object.hasOwn(tags, operand.key)) return null;
  return plain(operand.key, tags as Row);
}

function compareOperand(comparison: Comparison, row: Row): boolean {
  const { operand, operator, valueType } = comparison;
  switch (operand.kind) {
    case 'any':
      return elements(operand, row).some((element) => compare(comparison, element));
    case 'all':
      return elements(operand, row).every((element) => compare(comparison, element));
    case 'set-count':
      return compare(comparison, elements(operand, row).length);
    case 'tag': {
      const value = tag(operand, row);
      const comparable = valueType === 'null' || typeof value === valueType;
      const isText = operator === 'contains' && typeof value === 'number';
      return compare(comparison, comparable || isText ? value : null);
    }
    case 'boolean':
      return compare(comparison, operand.column === null ? false : plain(operand.column, row));
    default:
      return compare(comparison, plain(operand.column, row));
  }
}

function compare({ operator, negated, valueType, values }: Comparison, value: Value): boolean {
  const [first = null, second = null] = values;
  if (valueType === 'null') return (operator === '=') === (value === null);
  if (value === null) return operator === '!=' || (operator === 'contains' && negated);
  return holds(operator, typeof first === 'string' ? String(value) : value, { first, second, values }) !== negated;
}

function holds(
  operator: Comparison['operator'],
  value: string | number | boolean,
  { first, second, values }: { first: Value; second: Value; values: readonly Value[] },
): boolean {
  switch (operator) {
    case '=':
      return value === first;
    case '!=':
      return value !== first;
    case '<':
      return compareValues(value, first) < 0;
    case '<=':
      return compareValues(value, first) <= 0;
    case '>':
      return compareValues(value, first) > 0;
    case '>=':
      return compareValues(value, first) >= 0;
    case 'in':
      return values.includes(value);
    case 'contains':
      return String(value).includes(String(first));
    case 'icontains':
      return String(value).toLowerCase().includes(String(first).toLowerCase());
    case 'between':
      return compareValues(value, first) >= 0 && compareValues(value, second) < 0;
  }
}
