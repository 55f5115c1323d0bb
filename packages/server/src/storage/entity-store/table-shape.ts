/** A table, as the migrations have made it. */
export interface TableShape {
  readonly name: string;
  readonly columns: readonly {
    readonly name: string;
    readonly type: 'text' | 'integer' | 'double precision';
    readonly canBeNull: boolean;
  }[];
  /** The columns of the primary key. */
  readonly key: readonly string[];
}

/** A row, as both databases store it. */
export type StoredRow = Readonly<Record<string, string | number | null>>;
