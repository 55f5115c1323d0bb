import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { SqlDialect } from './dialect.ts';

/**
 * Selects texts as rows. They are one parameter, however many there are, so the statement is the same for all numbers and is
 * prepared once.
 */
export function selectValues(dialect: SqlDialect, values: readonly string[]): RawBuilder<string> {
  return sql<string>`select element.value from ${dialect.texts(values)}`;
}

/** The right side of `in`. */
export function inValues(dialect: SqlDialect, values: readonly string[]): RawBuilder<string> {
  return sql<string>`(${selectValues(dialect, values)})`;
}
