/**
 * The parameters of a list request. The store applies limits and defaults (`limit`: 10, at most 500, -1 for all rows).
 */
export interface Query {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  readonly filter?: string | undefined;
  readonly sort?: string | undefined;
}

/** One page of a list. The rows come in batches of bounded size, and a batch is read when it is needed. */
export interface Page<Row> {
  readonly batches: Iterable<readonly Row[]> | AsyncIterable<readonly Row[]>;
  readonly filterableFields?: readonly string[];
  readonly pagination?: { readonly limit: number | 'none'; readonly offset: number; readonly totalCount: number };
}

/** The type of a single value. It decides which operators are allowed. */
export type ValueType = 'string' | 'number' | 'boolean' | 'datetime';

/** Where a single value is stored. */
export interface ValueSource {
  /** `null`: not stored. The value is false for a boolean and null for other types. */
  readonly column: string | null;
  /** The value is a member of the JSON object in the column. A member of another type counts as null. */
  readonly path?: readonly string[];
  /** The column belongs to the row of `table` whose id is in this row's `column`. Without such a row the value is null. */
  readonly through?: { readonly column: string; readonly table: string };
}

/** A table with one row for each element of a set of strings. `owner` is the column with the id of the row it belongs to. */
export interface SetTable {
  readonly table: string;
  readonly owner: string;
  readonly value: string;
}

export interface SetField {
  readonly type: 'set';
  readonly set: SetTable;
  /** The elements are ids of rows of this table. Sub-queries use its fields. */
  readonly to?: { readonly table: string; readonly fields: () => FilterFields };
}

/** A filter field of an entity. */
export type FilterField =
  | ({ readonly type: ValueType } & ValueSource)
  | SetField
  /** A JSON object with values of any type. `null`: no row has tags. */
  | { readonly type: 'tags'; readonly column: string | null };

/** Symbol → field. */
export type FilterFields = Readonly<Record<string, FilterField>>;
