import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { ValueSource, ValueType } from '../../../core/filter/page.ts';
import type { SqlDialect } from './dialect.ts';

type Sql = RawBuilder<unknown>;

/** The rows of one table in a statement, joined with the rows that they refer to. */
export interface RowSource {
  readonly alias: string;
  readonly column: (name: string) => Sql;
  /** Adds the join that the value needs. */
  readonly value: (type: ValueType, source: ValueSource) => Sql;
  /** The table and all joins that were needed so far, without the word `from`. */
  readonly tables: () => Sql;
}

export function createRowSource({
  table,
  alias,
  dialect,
}: {
  table: string;
  alias: string;
  dialect: SqlDialect;
}): RowSource {
  const column = (name: string) => sql.ref(`${alias}.${name}`);
  const joins = new Map<string, Sql>();

  const joined = ({ table: target, column: reference }: NonNullable<ValueSource['through']>) => {
    const name = `${alias}_${reference}`;
    joins.set(
      name,
      sql`left join ${sql.table(target)} as ${sql.ref(name)} on ${sql.ref(`${name}.id`)} = ${column(reference)}`,
    );
    return name;
  };

  return {
    alias,
    column,
    value(type, { column: name, path, through }) {
      if (name === null) return notStored[type];
      const own = through ? sql.ref(`${joined(through)}.${name}`) : column(name);
      if (!path) return own;
      const isText = type === 'string' || type === 'datetime';
      return isText ? dialect.bytewise(dialect.member(own, path, 'string')) : dialect.member(own, path, type);
    },
    tables: () => sql.join([sql`${sql.table(table)} as ${sql.ref(alias)}`, ...joins.values()], sql` `),
  };
}

const noText = sql`cast(null as text)`;
const notStored: Readonly<Record<ValueType, Sql>> = {
  // Without the cast, `order by 0` would mean a column of the result.
  boolean: sql`cast(0 as integer)`,
  number: sql`cast(null as double precision)`,
  string: noText,
  datetime: noText,
};
