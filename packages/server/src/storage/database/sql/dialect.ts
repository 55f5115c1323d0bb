import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';

type MemberType = 'string' | 'number' | 'boolean' | 'any';

/** The SQL that differs between the two databases. Every value is a bound parameter. */
export interface SqlDialect {
  /** The database estimates how many rows a value has, and chooses its plan accordingly. */
  readonly hasStatistics: boolean;
  /** Ends a `select` that locks its rows until the commit. Empty on SQLite: it has one writer, which has the lock already. */
  readonly forUpdate: RawBuilder<unknown>;
  /** The same, but leaves out rows that others have locked, instead of waiting for them. */
  readonly forFreeUpdate: RawBuilder<unknown>;
  /** As `forUpdate`, but only against deletion. */
  readonly forKeyShare: RawBuilder<unknown>;
  /** Position of `needle` in `text`, 0 when `text` does not contain it. */
  position(text: RawBuilder<unknown>, needle: RawBuilder<unknown>): RawBuilder<unknown>;
  /** Converts all letters to lower case, not only ASCII letters. */
  lower(text: RawBuilder<unknown>): RawBuilder<unknown>;
  /** Text that sorts in the byte order of UTF-8. */
  bytewise(text: RawBuilder<unknown>): RawBuilder<unknown>;
  /** The table `element(value)` with the elements of a JSON array of strings. */
  elements(column: RawBuilder<unknown>): RawBuilder<unknown>;
  /** The table `element(value)` with some texts. They are one parameter, however many there are. */
  texts(values: readonly string[]): RawBuilder<unknown>;
  /** This parameter. */
  textsParameter(values: readonly string[]): unknown;
  /** The element of a JSON array at this place, counted from 0: a string as it is, an array as JSON. */
  item(array: RawBuilder<unknown>, at: number): RawBuilder<unknown>;
  /** The member of a JSON object at a path if it has this JSON type, otherwise null. A boolean is 0 or 1. */
  member(column: RawBuilder<unknown>, path: readonly string[], type: MemberType): RawBuilder<unknown>;
}

const asJson = (values: readonly string[]) => JSON.stringify(values);
/** A copy: the driver sends an array as an array of PostgreSQL. */
const asArray = (values: readonly string[]) => [...values];
const sqliteTypes = { string: ['text'], number: ['integer', 'real'], boolean: ['true', 'false'] };

export const sqliteDialect: SqlDialect = {
  hasStatistics: false,
  forUpdate: sql``,
  forFreeUpdate: sql``,
  forKeyShare: sql``,
  position: (text, needle) => sql`instr(${text}, ${needle})`,
  lower: (text) => sql`unicode_lower(${text})`,
  bytewise: (text) => text,
  elements: (column) => sql`json_each(${column}) as element`,
  texts: (values) => sql`json_each(cast(${asJson(values)} as text)) as element`,
  textsParameter: asJson,
  item: (array, at) => sql`(${array} ->> ${sql.lit(at)})`,
  member(column, path, type) {
    // A key has only letters, `_`, `-` and `.`, so it is safe to quote it in a path.
    const steps = `$${path.map((key) => `."${key}"`).join('')}`;
    const value = sql`json_extract(${column}, ${steps})`;
    if (type === 'any') return value;
    return sql`case when json_type(${column}, ${steps}) in (${sql.join(sqliteTypes[type])}) then ${value} end`;
  },
};

export const postgresDialect: SqlDialect = {
  hasStatistics: true,
  forUpdate: sql`for update`,
  forFreeUpdate: sql`for update skip locked`,
  forKeyShare: sql`for key share`,
  position: (text, needle) => sql`strpos(${text}, ${needle})`,
  lower: (text) => sql`lower(${text} collate "default")`,
  bytewise: (text) => sql`(${text} collate "C")`,
  elements: (column) => sql`jsonb_array_elements_text(cast(${column} as jsonb)) as element(value)`,
  // The planner knows how many elements an array has. Of JSON it expects 100, and reads whole tables to join them.
  texts: (values) => sql`unnest(cast(${asArray(values)} as text[])) as element(value)`,
  textsParameter: asArray,
  item: (array, at) => sql`(cast(${array} as jsonb) ->> ${sql.lit(at)})`,
  member(column, path, type) {
    const json = sql`cast(${column} as jsonb)`;
    const steps = sql`array[${sql.join(path.map((key) => sql`cast(${key} as text)`))}]`;
    const text = sql`(${json} #>> ${steps})`;
    if (type === 'any') return text;
    const value = {
      string: text,
      number: sql`cast(${text} as double precision)`,
      boolean: sql`cast(cast(${text} as boolean) as integer)`,
    }[type];
    return sql`case when jsonb_typeof(${json} #> ${steps}) = ${sql.lit(type)} then ${value} end`;
  },
};
