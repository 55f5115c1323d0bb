import type { SetTable, ValueSource, ValueType } from './page.ts';

/** A set field. With `where`, only the elements count that are ids of rows of `table` for which `where` is true. */
export interface SetOperand {
  readonly set: SetTable;
  readonly where: { readonly table: string; readonly expression: Expression } | null;
}

/** The left side of a comparison. `set-count` is the number of elements, `any` and `all` quantify over the elements. */
export type Operand =
  | ({ readonly kind: ValueType } & ValueSource)
  | ({ readonly kind: 'any' } & SetOperand)
  | ({ readonly kind: 'all' } & SetOperand)
  | ({ readonly kind: 'set-count' } & SetOperand)
  | { readonly kind: 'tag'; readonly column: string | null; readonly key: string };

export type Operator = '=' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'contains' | 'icontains' | 'between';

/** A type-checked comparison. `values` has one entry, two for `between`, one or more for `in`. */
export interface Comparison {
  readonly kind: 'compare';
  readonly operand: Operand;
  readonly operator: Operator;
  /** `not in`, `not contains`, `not icontains`, `not between`. */
  readonly negated: boolean;
  /** The type of the values. A `datetime` value is milliseconds since 1970. */
  readonly valueType: ValueType | 'null';
  readonly values: readonly (string | number | boolean | null)[];
}

export type Expression =
  | { readonly kind: 'and' | 'or'; readonly left: Expression; readonly right: Expression }
  | { readonly kind: 'not'; readonly inner: Expression }
  | { readonly kind: 'constant'; readonly value: boolean }
  | ({ readonly kind: 'isEmpty' } & SetOperand)
  | Comparison;

export interface SortField extends ValueSource {
  readonly type: ValueType;
  readonly descending: boolean;
}

/** A parsed `filter` parameter. Absent parts are null. `limit` -1 means `none`. */
export interface ParsedFilter {
  readonly expression: Expression | null;
  readonly sort: readonly SortField[] | null;
  readonly skip: number | null;
  readonly limit: number | null;
}
