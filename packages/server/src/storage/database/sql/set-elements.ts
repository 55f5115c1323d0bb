import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Expression, SetOperand } from '../../../core/filter/ast.ts';
import type { SqlDialect } from './dialect.ts';
import type { RowSource } from './row-source.ts';
import { createRowSource } from './row-source.ts';

type Sql = RawBuilder<unknown>;

/** The elements of a set field, of all rows that own one. */
export interface Elements {
  readonly tables: Sql;
  readonly value: Sql;
  /** The id of the row that the element belongs to. */
  readonly owner: Sql;
  readonly conditions: readonly Sql[];
}

/** Returns the elements of a set. `compile` compiles the condition of a sub-query. */
export function elementsOf(
  { set, where }: SetOperand,
  { rows, dialect }: { rows: RowSource; dialect: SqlDialect },
  compile: (expression: Expression, rows: RowSource) => Sql,
): Elements {
  const alias = `${rows.alias}_element`;
  const elements = createRowSource({ table: set.table, alias, dialect });
  const value = elements.column(set.value);
  const owner = elements.column(set.owner);
  if (!where) return { tables: elements.tables(), value, owner, conditions: [] };
  // Rows that refer to the current row are their own elements.
  const isSameRow = set.table === where.table && set.value === 'id';
  const targets = isSameRow
    ? elements
    : createRowSource({ table: where.table, alias: `${rows.alias}_target`, dialect });
  const condition = compile(where.expression, targets);
  if (isSameRow) return { tables: elements.tables(), value, owner, conditions: [condition] };
  const tables = sql`${elements.tables()}, ${targets.tables()}`;
  return { tables, value, owner, conditions: [sql`${targets.column('id')} = ${value}`, condition] };
}

/** `from … where …` for the elements of the current row. */
export function ofThisRow({ tables, owner, conditions }: Elements, rows: RowSource): Sql {
  const isOwn = sql`${owner} = ${rows.column('id')}`;
  return sql`from ${tables} where ${sql.join([isOwn, ...conditions], sql` and `)}`;
}
