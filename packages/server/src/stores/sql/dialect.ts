import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';

/** The SQL that differs between the two databases. Every value is a bound parameter. */
export interface SqlDialect {
  /** Position of `needle` in `text`, 0 when `text` does not contain it. */
  position(text: RawBuilder<unknown>, needle: RawBuilder<unknown>): RawBuilder<unknown>;
  /** Converts all letters to lower case, not only ASCII letters. */
  lower(text: RawBuilder<unknown>): RawBuilder<unknown>;
  /** Text that sorts in the byte order of UTF-8. */
  bytewise(text: RawBuilder<unknown>): RawBuilder<unknown>;
  /** The table `element(value)` with the elements of a JSON array of strings. */
  elements(column: RawBuilder<unknown>): RawBuilder<unknown>;
  /** A member of a JSON object if it has this JSON type, otherwise null. */
  tag(column: RawBuilder<unknown>, key: string, type: 'string' | 'number' | 'boolean' | 'any'): RawBuilder<unknown>;
}

const sqliteTypes = { string: ['text'], number: ['integer', 'real'], boolean: ['true', 'false'] };

export const sqliteDialect: SqlDialect = {
  position: (text, needle) => sql`instr(${text}, ${needle})`,
  lower: (text) => sql`unicode_lower(${text})`,
  bytewise: (text) => text,
  elements: (column) => sql`json_each(${column}) as element`,
  tag(column, key, type) {
    // A key has only letters, `_`, `-` and `.`, so it is safe to quote it in a path.
    const path = `$."${key}"`;
    const value = sql`json_extract(${column}, ${path})`;
    if (type === 'any') return value;
    return sql`case when json_type(${column}, ${path}) in (${sql.join(sqliteTypes[type])}) then ${value} end`;
  },
};

export const postgresDialect: SqlDialect = {
  position: (text, needle) => sql`strpos(${text}, ${needle})`,
  lower: (text) => sql`lower(${text} collate "default")`,
  bytewise: (text) => sql`(${text} collate "C")`,
  elements: (column) => sql`jsonb_array_elements_text(cast(${column} as jsonb)) as element(value)`,
  tag(column, key, type) {
    const json = sql`cast(${column} as jsonb)`;
    const name = sql`cast(${key} as text)`;
    const text = sql`(${json} ->> ${name})`;
    if (type === 'any') return text;
    const value = {
      string: text,
      number: sql`cast(${text} as double precision)`,
      boolean: sql`cast(cast(${text} as boolean) as integer)`,
    }[type];
    return sql`case when jsonb_typeof(${json} -> ${name}) = ${sql.lit(type)} then ${value} end`;
  },
};
