import type { Logger } from 'kysely';
import type { RunStatement } from '../../../core/meter.ts';

/** Gets each statement when it has run. */
export type ObserveStatement = (statement: RunStatement) => void;

/** The part of the options of Kysely that notes statements. Without a note Kysely measures nothing. */
export function observeStatements(note: ObserveStatement | undefined): { log?: Logger } {
  if (!note) return {};
  return {
    log: ({ query, queryDurationMillis, level }) =>
      note({ text: query.sql, milliseconds: queryDurationMillis, hasFailed: level === 'error' }),
  };
}
