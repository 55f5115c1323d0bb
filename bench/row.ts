import type { Processes } from './processes.ts';
import type { Servers } from './servers.ts';

/** What a row works with. */
export interface Bench {
  readonly rounds: number;
  /** Of each measurement. */
  readonly seconds: number;
  readonly servers: Servers;
  readonly processes: Processes;
  /** What stood behind the row's name on the command line. */
  readonly words: readonly string[];
}

/** Measures one question and prints the answer. */
export type Row = (bench: Bench) => Promise<void>;
