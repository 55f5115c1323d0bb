import type { Logger } from 'kysely';
import type { RunStatement } from '../../../core/meter.ts';

/** Gets each statement when it has run. */
export type ObserveStatement = (statement: RunStatement) => void;

/** The part of the options of Kysely that observes statements. Without an observer Kysely measures nothing. */
export function observeStatements(observe: ObserveStatement | undefined): { log?: Logger } {
  if (!observe) return {};
  return {
    log: ({ query, queryDurationMillis, level }) =>
      observe({ text: query.sql, milliseconds: queryDurationMillis, hasFailed: level === 'error' }),
  };
}
