import { hash } from 'node:crypto';
import { ApiError, invalidField } from '../../core/api-error.ts';
import { RecentlyUsed } from '../../core/cache/recently-used.ts';
import type { Question, SchemaVerdict } from './schema-checks.ts';
import { schemaFault } from './schema-fault.ts';
import { SchemaThread } from './schema-thread.ts';
import { TimeBudgets } from './time-budgets.ts';

/** Verdicts that are remembered, at least. */
const maxVerdicts = 1_000;
/** Milliseconds for which a check that took too long is refused without another try. */
const lateTime = 600_000;
/** Questions of one identity that may wait. */
const maxWaiting = 20;

interface Known {
  readonly verdict: SchemaVerdict;
  /** Milliseconds of `performance.now()`. */
  readonly until: number;
}

interface Waiting {
  readonly question: Question;
  readonly asked: PromiseWithResolvers<void>;
}

/**
 * Checks data with JSON schemas. Neither a schema nor data can stop the controller, whatever is in them: a thread of its own does the
 * work, and each identity has a part of its time. What it has found is remembered by the texts, also that it took too long.
 */
export class JsonSchemas {
  readonly #thread = new SchemaThread();
  readonly #budgets = new TimeBudgets();
  readonly #verdicts = new RecentlyUsed<Known>(maxVerdicts);
  /** By identity. The identities take turns. */
  readonly #waiting = new Map<string, Waiting[]>();
  #isBusy = false;
  #isClosed = false;

  /**
   * @returns false when nothing is known of the schema: `learn` comes first
   * @throws 400 for `field` when the schema cannot be used
   */
  requireUsable(field: string, schema: object): boolean {
    const fault = schemaFault(schema);
    if (fault !== null) throw invalidField(field, `invalid schema ${fault}`);
    const verdict = this.#knownOf({ schema: JSON.stringify(schema), data: null });
    if (verdict === undefined) return false;
    if (verdict !== null) throw invalidField(field, `invalid schema ${messageOf(verdict, 'it takes too long')}`);
    const isObject = 'type' in schema && schema.type === 'object';
    if (!isObject) throw invalidField(field, 'invalid config type schema, root type must be object');
    return true;
  }

  /**
   * @param schema the schema as JSON text
   * @returns false when nothing is known of the data: `learn` comes first
   * @throws 400 for the first member of the data that does not fit, by its path in the data
   */
  requireValid(schema: string, data: unknown): boolean {
    const isLate = this.#knownOf({ schema, data: null }) === 'late';
    const verdict = isLate ? 'late' : this.#knownOf({ schema, data: JSON.stringify(data) });
    if (verdict === undefined) return false;
    if (verdict === null) return true;
    const path = verdict === 'late' ? '(root)' : verdict.path;
    throw invalidField(path, `${path} is invalid: ${path}: ${messageOf(verdict, 'the check takes too long')}`);
  }

  /**
   * Finds out whether a schema can be used, or some data fit it. It takes seconds at most, and more when others wait.
   *
   * @param identityId whose time it takes
   * @param data without it, only the schema counts
   * @throws 429 `SERVER_TOO_MANY_REQUESTS` with `Retry-After` when this identity has used its time up, or too much of it waits
   */
  async learn(identityId: string, schema: string, data?: unknown): Promise<void> {
    const question = { schema, data: data === undefined ? null : JSON.stringify(data) };
    const waiting = this.#waiting.get(identityId) ?? [];
    if (waiting.length >= maxWaiting) throw new ApiError('SERVER_TOO_MANY_REQUESTS', { retryAfter: 1 });
    const asked = Promise.withResolvers<void>();
    waiting.push({ question, asked });
    this.#waiting.set(identityId, waiting);
    void this.#work();
    await asked.promise;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#thread.close();
  }

  async #work(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    for (const [identityId, waiting] of this.#waiting) {
      const next = waiting.shift();
      // Behind the others.
      this.#waiting.delete(identityId);
      if (waiting.length > 0) this.#waiting.set(identityId, waiting);
      if (next) await this.#answer(identityId, next).then(next.asked.resolve, next.asked.reject);
    }
    this.#isBusy = false;
  }

  async #answer(identityId: string, { question }: Waiting): Promise<void> {
    // Somebody may have asked the same meanwhile.
    if (this.#knownOf(question) !== undefined) return;
    if (this.#isClosed) throw new ApiError('TIMEOUT');
    const wait = this.#budgets.waitOf(identityId);
    if (wait > 0) throw new ApiError('SERVER_TOO_MANY_REQUESTS', { retryAfter: wait / 1_000 });
    // So that a schema that takes too long is known for all data.
    if ((await this.#ask(identityId, { ...question, data: null })) === 'late') return;
    if (question.data !== null) await this.#ask(identityId, question);
  }

  async #ask(identityId: string, question: Question): Promise<SchemaVerdict> {
    const known = this.#knownOf(question);
    if (known !== undefined) return known;
    const { verdict, time } = await this.#thread.ask(question);
    if (this.#isClosed) throw new ApiError('TIMEOUT');
    this.#budgets.spend(identityId, time);
    const until = verdict === 'late' ? performance.now() + lateTime : Number.POSITIVE_INFINITY;
    this.#verdicts.set(keyOf(question), { verdict, until });
    return verdict;
  }

  /** `undefined`: nothing. */
  #knownOf(question: Question): SchemaVerdict | undefined {
    const known = this.#verdicts.get(keyOf(question));
    return known && performance.now() < known.until ? known.verdict : undefined;
  }
}

function keyOf({ schema, data }: Question): string {
  return `${hash('sha256', schema)} ${data === null ? '' : hash('sha256', data)}`;
}

function messageOf(verdict: Exclude<SchemaVerdict, null>, late: string): string {
  return verdict === 'late' ? late : verdict.message;
}
