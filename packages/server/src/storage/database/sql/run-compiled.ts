import type { Kysely, QueryResult } from 'kysely';
import { CompiledQuery } from 'kysely';

const texts = new Map<string, string>();
const names = new Map<string, string>();

/** The name of a statement that PostgreSQL prepares; `undefined` for any other one. */
export function preparedName(text: string): string | undefined {
  return names.get(text);
}

interface Statement<Row> {
  readonly compile: () => CompiledQuery<Row>;
  readonly parameters: readonly unknown[];
  readonly isPrepared?: boolean;
}

/**
 * Runs a statement whose text depends on the key alone. It is compiled once: for a short statement that takes longer than
 * to run it.
 *
 * @param key the dialect, and what else the text depends on
 * @param parameters all parameters, in the order of the text
 * @param isPrepared each connection to PostgreSQL plans it once. Only for a statement whose best plan does not depend on the parameters
 */
export async function runCompiled<Row>(
  db: Pick<Kysely<unknown>, 'executeQuery'>,
  key: string,
  { compile, parameters, isPrepared = false }: Statement<Row>,
): Promise<QueryResult<Row>> {
  let text = texts.get(key);
  if (text === undefined) {
    text = compile().sql;
    texts.set(key, text);
    if (isPrepared) names.set(text, key);
  }
  return await db.executeQuery<Row>(CompiledQuery.raw(text, [...parameters]));
}
