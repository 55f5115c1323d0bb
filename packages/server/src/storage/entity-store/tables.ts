import type { contracts, Fields } from '@edge-controller/shared-types';
import type { z } from 'zod';

/** The name of an entity: the key of its contract, and of its table. */
export type EntityName = keyof typeof contracts;
export type FieldsOf<K extends EntityName> = (typeof contracts)[K]['fields'];

/** Columns that every entity has. `tags` is a JSON object as text. */
export interface BaseRow {
  id: string;
  createdAt: string;
  updatedAt: string;
  tags: string;
}

/** The value of a field. */
export type Output<E> = E extends { schema: infer S extends z.ZodType } ? z.output<S> : never;
type Column<V> = V extends boolean ? number : V extends string | number ? V : string;
/** Null when the field has no value, if the detail can show that. */
export type Nullable<E, V> = E extends { detail: 'nullable' | 'optional' } ? V | null : V;
/** Fields with a column in the table of the entity. */
export type ColumnKind = 'value' | 'group' | 'reference';

/** An entity as its table stores it: booleans are 0 or 1, objects and arrays JSON. */
export type EntityRow<F extends Fields> = BaseRow & {
  -readonly [N in keyof F as F[N]['kind'] extends ColumnKind ? N : never]: Nullable<F[N], Column<Output<F[N]>>>;
};

/** One element of a set: a role attribute, an id, a role. */
export interface SetRow {
  ownerId: string;
  value: string;
}

/** Fields with a table of their own. */
export type SetKind = 'attributes' | 'references' | 'roles';
type SetNames<K extends EntityName> = {
  [N in keyof FieldsOf<K>]: FieldsOf<K>[N] extends { kind: SetKind } ? `${K}_${N & string}` : never;
}[keyof FieldsOf<K>];

/** The tables of the entities, and of their sets. */
export type EntityTables = { [K in EntityName]: EntityRow<FieldsOf<K>> } & {
  [N in { [K in EntityName]: SetNames<K> }[EntityName]]: SetRow;
};
