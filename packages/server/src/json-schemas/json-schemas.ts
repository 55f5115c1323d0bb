import { invalidField } from '../api-error.ts';
import type { Check, DataFault } from './compile-schema.ts';
import { compileSchema, prepareDraft } from './compile-schema.ts';
import { schemaFault } from './schema-fault.ts';
import { withinTime } from './within-time.ts';

/** Compiled schemas that are kept. */
const maxKept = 100;
/** Milliseconds of the event loop that a schema may take to be compiled. Most of it passes only once. */
const compileTime = 3_000;
/** Milliseconds of the event loop that the check of some data may take. */
const checkTime = 1_000;
const right = {};

/**
 * Checks data with JSON schemas. Each schema is compiled once, and known by its text: another version of it is another schema.
 * Neither a schema nor data can stop the controller, whatever is in them.
 */
export class JsonSchemas {
  readonly #kept = new Map<string, Check>();

  /** @throws 400 for `field` when the schema cannot be used */
  requireUsable(field: string, schema: object): void {
    const fault = schemaFault(schema) ?? this.#compileFault(schema);
    if (fault !== null) throw invalidField(field, `invalid schema ${fault}`);
    const isObject = 'type' in schema && schema.type === 'object';
    if (!isObject) throw invalidField(field, 'invalid config type schema, root type must be object');
  }

  /**
   * @param schema the schema as JSON text
   * @throws 400 for the first member of the data that does not fit, by its path in the data
   */
  requireValid(schema: string, data: unknown): void {
    const fault = this.#dataFault(schema, data);
    if (fault === null) return;
    const { path, message } = fault;
    throw invalidField(path, `${path} is invalid: ${path}: ${message}`);
  }

  #compileFault(schema: object): string | null {
    try {
      return this.#checkOf(JSON.stringify(schema)) ? null : 'it takes too long';
    } catch (error) {
      return messageOf(error);
    }
  }

  #dataFault(schema: string, data: unknown): DataFault | null {
    try {
      const check = this.#checkOf(schema);
      const found = check && withinTime<Partial<DataFault>>(checkTime, () => check(data) ?? right);
      if (found === right) return null;
      if (found) return found as DataFault;
      this.#kept.delete(schema);
      return { path: '(root)', message: 'the check takes too long' };
    } catch (error) {
      return { path: '(root)', message: messageOf(error) };
    }
  }

  /** `null` when it takes too long. The last used schemas are kept. */
  #checkOf(schema: string): Check | null {
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

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
