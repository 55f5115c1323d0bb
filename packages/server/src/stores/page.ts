/**
 * The parameters of a list request. The store applies limits and defaults (`limit`: 10, at most 500, -1 for all rows).
 */
export interface Query {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  readonly filter?: string | undefined;
  readonly sort?: string | undefined;
}

/** One page of a list. With `limit` `'none'` the rows are read from the store in batches. */
export interface Page<Row> {
  readonly rows: Iterable<Row> | AsyncIterable<Row>;
  readonly filterableFields?: readonly string[];
  readonly pagination?: { readonly limit: number | 'none'; readonly offset: number; readonly totalCount: number };
}

/** The type of a filter field. It decides which operators are allowed. */
export type FieldType = 'string' | 'number' | 'boolean' | 'datetime' | 'set' | 'tags';

/**
 * Filter field → column and type. A `set` column has a JSON array of strings, a `tags` column a JSON object. A field
 * with the column `null` is not stored: its value is false for a boolean and null for other types.
 */
export type FilterFields = Readonly<Record<string, { readonly column: string | null; readonly type: FieldType }>>;
