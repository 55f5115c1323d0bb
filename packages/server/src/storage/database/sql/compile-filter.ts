import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Comparison, Expression, Operand, SetOperand } from '../../../core/filter/ast.ts';
import type { SqlDialect } from './dialect.ts';
import type { RowSource } from './row-source.ts';
import type { Elements } from './set-elements.ts';
import { elementsOf, ofThisRow } from './set-elements.ts';

type Sql = RawBuilder<unknown>;

/** The rows that a filter is about, the SQL dialect and the format of date columns. */
export interface CompileOptions {
  readonly rows: RowSource;
  readonly dialect: SqlDialect;
  /** Converts milliseconds since 1970 to the value in a date column. */
  readonly date: (milliseconds: number) => string | number;
  /** How `anyOf` is compiled: search the owners of the elements, or probe the elements of each row. */
  readonly anyOf: 'search' | 'probe';
}

const operators = { '=': sql`=`, '!=': sql`<>`, '<': sql`<`, '<=': sql`<=`, '>': sql`>`, '>=': sql`>=` } as const;

/** Compiles a filter to a condition that is true or false, never null. Values become bound parameters. */
export function compileFilter(expression: Expression, options: CompileOptions): RawBuilder<boolean> {
  return sql<boolean>`${compile(expression, options)}`;
}

function compile(expression: Expression, options: CompileOptions): Sql {
  switch (expression.kind) {
    case 'and':
      return sql`(${compile(expression.left, options)} and ${compile(expression.right, options)})`;
    case 'or':
      return sql`(${compile(expression.left, options)} or ${compile(expression.right, options)})`;
    case 'not':
      return sql`(not ${compile(expression.inner, options)})`;
    case 'constant':
      return sql`(1 = ${sql.lit(expression.value ? 1 : 0)})`;
    case 'isEmpty':
      return sql`(not exists (select 1 ${ofThisRow(setElements(expression, options), options.rows)}))`;
    case 'compare':
      return compileOperand(expression, options);
  }
}

/**
 * Compiles the number of rows that match a filter of a single `anyOf`, which needs the table of the set only. Returns
 * `null` for every other filter.
 */
export function countOwners(expression: Expression, options: CompileOptions): Sql | null {
  if (expression.kind !== 'compare' || expression.operand.kind !== 'any') return null;
  const elements = setElements(expression.operand, options);
  // An element is in a set once, so with `=` no owner counts twice.
  const counted = expression.operator === '=' ? elements.owner : sql`distinct ${elements.owner}`;
  return sql`(select count(${counted}) from ${elements.tables} where ${compare(expression, elements.value, options)})`;
}

/** Returns whether a condition on the rows themselves has an `anyOf`. */
export function hasAnyOf(expression: Expression): boolean {
  switch (expression.kind) {
    case 'and':
    case 'or':
      return hasAnyOf(expression.left) || hasAnyOf(expression.right);
    case 'not':
      return hasAnyOf(expression.inner);
    case 'compare':
      return expression.operand.kind === 'any';
    default:
      return false;
  }
}

function setElements(operand: SetOperand, options: CompileOptions): Elements {
  return elementsOf(operand, options, (expression, rows) => compile(expression, { ...options, rows }));
}

function compileOperand(comparison: Comparison, options: CompileOptions): Sql {
  const { operand } = comparison;
  if (operand.kind !== 'any' && operand.kind !== 'all')
    return compare(comparison, subject(operand, comparison, options), options);
  const elements = setElements(operand, options);
  const matches = compare(comparison, elements.value, options);
  const own = ofThisRow(elements, options.rows);
  if (operand.kind === 'all') return sql`(not exists (select 1 ${own} and not ${matches}))`;
  if (options.anyOf === 'probe') return sql`(exists (select 1 ${own} and ${matches}))`;
  // With a null among the owners, `in` could be null.
  const owners = sql`select ${elements.owner} from ${elements.tables} where ${matches} and ${elements.owner} is not null`;
  return sql`(${options.rows.column('id')} in (${owners}))`;
}

function subject(
  operand: Exclude<Operand, { kind: 'any' | 'all' }>,
  { operator, valueType }: Comparison,
  options: CompileOptions,
): Sql {
  const { dialect, rows } = options;
  switch (operand.kind) {
    case 'set-count': {
      const count = sql`(select count(*) ${ofThisRow(setElements(operand, options), options.rows)})`;
      return operator === 'contains' ? asText(count) : count;
    }
    case 'tag': {
      if (operand.column === null) return sql`cast(null as text)`;
      const type = valueType === 'null' || valueType === 'datetime' ? 'any' : valueType;
      const tag = dialect.member(rows.column(operand.column), [operand.key], type);
      return type === 'string' ? dialect.bytewise(tag) : tag;
    }
    default: {
      const value = rows.value(operand.kind, operand);
      return operator === 'contains' && operand.kind === 'number' ? asText(value) : value;
    }
  }
}

function asText(value: Sql): Sql {
  return sql`cast(${value} as text)`;
}

function compare(comparison: Comparison, value: Sql, options: CompileOptions): Sql {
  const { operator, negated, valueType } = comparison;
  if (valueType === 'null') return operator === '=' ? sql`(${value} is null)` : sql`(${value} is not null)`;
  const matches = negated ? sql`not ${condition(comparison, value, options)}` : condition(comparison, value, options);
  const nullMatches = operator === '!=' || (operator === 'contains' && negated);
  return nullMatches ? sql`(${value} is null or ${matches})` : sql`(${value} is not null and ${matches})`;
}

function condition(comparison: Comparison, value: Sql, options: CompileOptions): Sql {
  const { dialect } = options;
  const [first = sql`null`, second = sql`null`] = comparison.values.map((each) => parameter(comparison, each, options));
  switch (comparison.operator) {
    case 'in':
      return sql`(${value} in (${sql.join(comparison.values.map((each) => parameter(comparison, each, options)))}))`;
    case 'between':
      return sql`(${value} >= ${first} and ${value} < ${second})`;
    case 'contains':
      return sql`(${dialect.position(value, first)} > 0)`;
    case 'icontains':
      return sql`(${dialect.position(dialect.lower(value), dialect.lower(first))} > 0)`;
    default:
      return sql`(${value} ${operators[comparison.operator]} ${first})`;
  }
}

function parameter({ valueType }: Comparison, value: string | number | boolean | null, { date }: CompileOptions): Sql {
  switch (valueType) {
    case 'number':
      // Without the cast PostgreSQL assumes the type of the column, and refuses 1.5 for an integer column. For a comparison with a
      // fraction it does not use the index of such a column.
      return Number.isSafeInteger(value) ? sql`cast(${value} as bigint)` : sql`cast(${value} as double precision)`;
    case 'boolean':
      return sql`${sql.lit(value === true ? 1 : 0)}`;
    case 'datetime': {
      const moment = date(Number(value));
      return typeof moment === 'number' ? sql`cast(${moment} as double precision)` : sql`cast(${moment} as text)`;
    }
    default:
      return sql`cast(${value} as text)`;
  }
}
