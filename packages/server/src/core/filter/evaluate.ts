import type { Comparison, Expression, Operand, SetOperand, SortField } from './ast.ts';
import type { ValueSource } from './page.ts';

/** A row for the evaluator: datetimes are milliseconds, JSON columns are parsed. */
export type FilterRow = Readonly<Record<string, unknown>>;

/** Table → rows, for the fields of other tables. */
export type FilterRows = Readonly<Record<string, readonly FilterRow[]>>;

type Value = string | number | boolean | null;

/** Returns whether a row matches a filter. The result is the same as in the databases. */
export function evaluate(expression: Expression, row: FilterRow, others: FilterRows = {}): boolean {
  switch (expression.kind) {
    case 'and':
      return evaluate(expression.left, row, others) && evaluate(expression.right, row, others);
    case 'or':
      return evaluate(expression.left, row, others) || evaluate(expression.right, row, others);
    case 'not':
      return !evaluate(expression.inner, row, others);
    case 'constant':
      return expression.value;
    case 'isEmpty':
      return elements(expression, row, others).length === 0;
    case 'compare':
      return compareOperand(expression, row, others);
  }
}

/** Compares two rows by a sort order. In ascending order null comes first. */
export function compareRows(
  sort: readonly SortField[],
  left: FilterRow,
  right: FilterRow,
  others: FilterRows = {},
): number {
  for (const field of sort) {
    const difference = compareNullable(read(field, left, others), read(field, right, others));
    if (difference !== 0) return field.descending ? -difference : difference;
  }
  return 0;
}

function compareNullable(left: Value, right: Value): number {
  if (left === null || right === null) return Number(left !== null) - Number(right !== null);
  return compareValues(left, right);
}

function compareValues(left: Value, right: Value): number {
  if (typeof left === 'string' && typeof right === 'string') return compareTexts(left, right);
  return Number(left) - Number(right);
}

/** As both databases do, in the order of the bytes of UTF-8. Whole lists are sorted by this, so it makes no copies. */
function compareTexts(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  let at = 0;
  while (at < length && left.charCodeAt(at) === right.charCodeAt(at)) at += 1;
  return at === length ? left.length - right.length : rankOf(left.charCodeAt(at)) - rankOf(right.charCodeAt(at));
}

/** JavaScript orders characters above U+FFFF, which are made of surrogates, before those from U+E000 on. */
function rankOf(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

const jsTypes = { string: 'string', number: 'number', boolean: 'boolean', datetime: 'number' } as const;

function read(
  field: SortField | Extract<Operand, { kind: SortField['type'] }>,
  row: FilterRow,
  others: FilterRows,
): Value {
  const type = 'kind' in field ? field.kind : field.type;
  const { column, path = [], through } = field satisfies ValueSource;
  if (column === null) return type === 'boolean' ? false : null;
  const source = through ? others[through.table]?.find(({ id }) => id === row[through.column]) : row;
  const value = path.reduce<unknown>(member, member(source, column));
  return typeof value === jsTypes[type] ? (value as Value) : null;
}

function member(parent: unknown, name: string): unknown {
  if (typeof parent !== 'object' || parent === null || !Object.hasOwn(parent, name)) return null;
  return (parent as FilterRow)[name];
}

function elements({ set, where }: SetOperand, row: FilterRow, others: FilterRows): readonly string[] {
  const owned = (others[set.table] ?? []).filter((element) => element[set.owner] === row.id);
  const values = owned.map((element) => String(element[set.value]));
  if (!where) return values;
  const ids = new Set(values);
  const found = others[where.table]?.filter(({ id }) => ids.has(String(id))) ?? [];
  return found.filter((target) => evaluate(where.expression, target, others)).map(({ id }) => String(id));
}

function compareOperand(comparison: Comparison, row: FilterRow, others: FilterRows): boolean {
  const { operand, valueType } = comparison;
  switch (operand.kind) {
    case 'any':
      return elements(operand, row, others).some((element) => compare(comparison, element));
    case 'all':
      return elements(operand, row, others).every((element) => compare(comparison, element));
    case 'set-count':
      return compare(comparison, elements(operand, row, others).length);
    case 'tag': {
      const value = operand.column === null ? null : member(row[operand.column], operand.key);
      const hasType = valueType === 'null' ? value !== null : typeof value === valueType;
      return compare(comparison, hasType ? (value as Value) : null);
    }
    default:
      return compare(comparison, read(operand, row, others));
  }
}

function compare({ operator, negated, valueType, values }: Comparison, value: Value): boolean {
  const [first = null, second = null] = values;
  if (valueType === 'null') return (operator === '=') === (value === null);
  if (value === null) return operator === '!=' || (operator === 'contains' && negated);
  return matches(operator, typeof first === 'string' ? String(value) : value, { first, second, values }) !== negated;
}

function matches(
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
