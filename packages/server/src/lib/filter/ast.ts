/** The left side of a comparison. `set-count` is the number of elements, `any` and `all` quantify over the elements. */
export type Operand =
  | { readonly kind: 'string' | 'number' | 'boolean' | 'datetime'; readonly column: string | null }
  | { readonly kind: 'any' | 'all' | 'set-count'; readonly column: string | null }
  | { readonly kind: 'tag'; readonly column: string | null; readonly key: string };

export type Operator = '=' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'contains' | 'icontains' | 'between';

/** The type of the values of a comparison. A `datetime` value is milliseconds since 1970. */
export type ValueType = 'string' | 'number' | 'boolean' | 'datetime' | 'null';

/** A type-checked comparison. `values` has one entry, two for `between`, one or more for `in`. */
export interface Comparison {
  readonly kind: 'compare';
  readonly operand: Operand;
  readonly operator: Operator;
  /** `not in`, `not contains`, `not icontains`, `not between`. */
  readonly negated: boolean;
  readonly valueType: ValueType;
  readonly values: readonly (string | number | boolean | null)[];
}

export type Expression =
  | { readonly kind: 'and' | 'or'; readonly left: Expression; readonly right: Expression }
  | { readonly kind: 'not'; readonly inner: Expression }
  | { readonly kind: 'constant'; readonly value: boolean }
  | { readonly kind: 'isEmpty'; readonly column: string | null }
  | Comparison;

export interface SortField {
  readonly column: string | null;
  readonly type: 'string' | 'number' | 'boolean' | 'datetime';
  readonly descending: boolean;
}

/** A parsed `filter` parameter. Absent parts are null. `limit` -1 means `none`. */
export interface ParsedFilter {
  readonly expression: Expression | null;
  readonly sort: readonly SortField[] | null;
  readonly skip: number | null;
  readonly limit: number | null;
}
