import type { Kysely, RawBuilder } from 'kysely';
import type { Clock } from '../../../core/time/clock.ts';

/** What differs between the two databases, and the clock. */
export interface SchemaContext {
  /** The type of a text column. It sorts in the byte order of UTF-8. */
  readonly text: RawBuilder<string>;
  /** The type of a primary key that the database counts up. */
  readonly serial: RawBuilder<number>;
  /** The type of a primary key that the controller counts up: 64 bits. */
  readonly counter: RawBuilder<number>;
  readonly clock: Clock;
}

/** One change of the schema. It runs in the transaction of all changes of a start: a failure undoes all of them. */
export type SchemaChange = (db: Kysely<unknown>, context: SchemaContext) => Promise<void>;
