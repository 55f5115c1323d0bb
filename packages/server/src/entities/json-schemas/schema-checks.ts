import type { DataFault, SchemaCheck } from './compile-schema.ts';
import { compileSchema, prepareDraft } from './compile-schema.ts';
import { withinTime } from './within-time.ts';

/** What is asked about a schema. Both are JSON. */
export interface Question {
  readonly schema: string;
  /** `null`: whether the schema can be used. */
  readonly data: string | null;
}

/** `null`: all is right. `late`: it took too long. Of a schema, only the message of the fault counts. */
export type SchemaVerdict = DataFault | 'late' | null;

/** Milliseconds that a schema may take to be compiled, and that the check of some data may take. Most of the former passes only once. */
const compileTime = 3_000;
const checkTime = 1_000;
/** In which an answer must come. */
export const answerTime = compileTime + checkTime;
/** Compiled schemas that are kept. */
const maxKept = 100;
const right = {};

/** Compiles schemas and checks data, in a thread of its own. Each schema is compiled once, and known by its text. */
export class SchemaChecks {
  readonly #kept = new Map<string, SchemaCheck>();

  answer({ schema, data }: Question): SchemaVerdict {
    try {
      const check = this.#checkOf(schema);
      if (check === null) return 'late';
      if (data === null) return null;
      const value: unknown = JSON.parse(data);
      const found = withinTime<Partial<DataFault>>(checkTime, () => check(value) ?? right);
      if (found === right) return null;
      if (found) return found as DataFault;
      this.#kept.delete(schema);
      return 'late';
    } catch (error) {
      return { path: '(root)', message: error instanceof Error ? error.message : String(error) };
    }
  }

  /** `null` when it takes too long. The last used schemas are kept. */
  #checkOf(schema: string): SchemaCheck | null {
    prepareDraft();
    const check = this.#kept.get(schema) ?? withinTime(compileTime, () => compileSchema(JSON.parse(schema)));
    if (!check) return null;
    this.#kept.delete(schema);
    this.#kept.set(schema, check);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > maxKept && oldest !== undefined) this.#kept.delete(oldest);
    return check;
  }
}
