import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';

/**
 * A text to compare an indexed column of a join with. For a plain parameter, SQLite plans the join again at each run, because
 * the value may decide the plan. That takes ten times as long as a short join.
 */
export function textValue<const T extends string>(value: T): RawBuilder<T> {
  return sql<T>`cast(${value} as text)`;
}
