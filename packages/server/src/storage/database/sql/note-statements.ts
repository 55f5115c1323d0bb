import type { Logger } from 'kysely';
import type { RunStatement } from '../../../core/meter.ts';

/** Gets each statement when it has run. */
export type NoteStatement = (statement: RunStatement) => void;

/** The part of the options of Kysely that notes statements. Without a note Kysely measures nothing. */
export function noteStatements(note: NoteStatement | undefined): { log?: Logger } {
  if (!note) return {};
  return {
    log: ({ query, queryDurationMillis, level }) =>
      note({ text: query.sql, milliseconds: queryDurationMillis, hasFailed: level === 'error' }),
  };
}
