/** What a list request asks for; bounds and defaults are applied by the store (`limit` 10, at most 500, -1 for all). */
export interface Query {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  readonly filter?: string | undefined;
  readonly sort?: string | undefined;
}

/** One page of a list. With `limit` `'none'` the rows are read from the store piece by piece. */
export interface Page<Row> {
  readonly rows: Iterable<Row> | AsyncIterable<Row>;
  readonly filterableFields?: readonly string[];
  readonly pagination?: { readonly limit: number | 'none'; readonly offset: number; readonly totalCount: number };
}

/** How a filter symbol reads a row: its type decides which operators it takes. */
export type FieldType = 'string' | 'number' | 'boolean' | 'datetime' | 'set' | 'tags';

/**
 * Filter symbol → column and type. `set` columns hold a JSON array of strings, `tags` a JSON object. A `null` column is
 * held nowhere: false for a boolean, null for the rest.
 */
export type FilterFields = Readonly<Record<string, { readonly column: string | null; readonly type: FieldType }>>;
