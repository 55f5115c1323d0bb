import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Comparison, Expression, Operand } from '../../lib/filter/ast.ts';
import type { SqlDialect } from './dialect.ts';

type Sql = RawBuilder<unknown>;

/** The SQL dialect of a table and the format of its date columns. */
export interface CompileOptions {
  readonly dialect: SqlDialect;
  /** Converts milliseconds since 1970 to the value in a date column. */
  readonly date: (milliseconds: number) => string | number;
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
      return sql`(not exists (select 1 from ${elements(expression.column, options)}))`;
    case 'compare':
      return compileOperand(expression, options);
  }
}

function elements(column: string | null, { dialect }: CompileOptions): Sql {
  return dialect.elements(column === null ? sql`'[]'` : sql.ref(column));
}

function compileOperand(comparison: Comparison, options: CompileOptions): Sql {
  const { operand } = comparison;
  if (operand.kind === 'any' || operand.kind === 'all') {
    const source = elements(operand.column, options);
    const holds = compare(comparison, options.dialect.bytewise(sql.ref('element.value')), options);
    if (operand.kind === 'any') return sql`(exists (select 1 from ${source} where ${holds}))`;
    return sql`(not exists (select 1 from ${source} where not ${holds}))`;
  }
  return compare(comparison, subject(operand, comparison, options), options);
}

function subject(operand: Operand, { operator, valueType }: Comparison, options: CompileOptions): Sql {
  const { dialect } = options;
  if (operand.kind === 'set-count') {
    const count = sql`(select count(*) from ${elements(operand.column, options)})`;
    return operator === 'contains' ? asText(count) : count;
  }
  if (operand.column === null) return operand.kind === 'boolean' ? sql`0` : sql`cast(null as text)`;
  const column = sql.ref(operand.column);
  if (operand.kind !== 'tag') return operator === 'contains' && operand.kind === 'number' ? asText(column) : column;
  if (valueType === 'null' || valueType === 'datetime') return dialect.tag(column, operand.key, 'any');
  const tag = dialect.tag(column, operand.key, valueType);
  return valueType === 'string' ? dialect.bytewise(tag) : tag;
}

function asText(value: Sql): Sql {
  return sql`cast(${value} as text)`;
}

function compare(comparison: Comparison, value: Sql, options: CompileOptions): Sql {
  const { operator, negated, valueType } = comparison;
  if (valueType === 'null') return operator === '=' ? sql`(${value} is null)` : sql`(${value} is not null)`;
  const holds = negated ? sql`not ${condition(comparison, value, options)}` : condition(comparison, value, options);
  const nullMatches = operator === '!=' || (operator === 'contains' && negated);
  return nullMatches ? sql`(${value} is null or ${holds})` : sql`(${value} is not null and ${holds})`;
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
      // Without the cast PostgreSQL assumes the type of the column, and refuses 1.5 for an integer column.
      return sql`cast(${value} as double precision)`;
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
