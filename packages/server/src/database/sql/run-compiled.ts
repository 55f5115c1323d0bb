import type { Kysely, QueryResult } from 'kysely';
import { CompiledQuery } from 'kysely';

const texts = new Map<string, string>();

/**
 * Runs a statement whose text depends on the key alone. It is compiled once: for a short statement that takes longer than
 * to run it.
 *
 * @param key the dialect, and what else the text depends on
 * @param parameters all parameters, in the order of the text
 */
export async function runCompiled<Row>(
  db: Pick<Kysely<unknown>, 'executeQuery'>,
  key: string,
  { compile, parameters }: { compile: () => CompiledQuery<Row>; parameters: readonly unknown[] },
): Promise<QueryResult<Row>> {
  let text = texts.get(key);
  if (text === undefined) {
    text = compile().sql;
    texts.set(key, text);
  }
  return await db.executeQuery<Row>(CompiledQuery.raw(text, [...parameters]));
}
