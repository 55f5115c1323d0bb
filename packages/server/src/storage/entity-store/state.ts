import type { Fields } from '@edge-controller/shared-types';
import type { z } from 'zod';
import type { ColumnKind, Nullable, Output, SetKind } from './tables.ts';

type ShownOutput<E> = E extends { shown: infer S extends z.ZodType } ? z.output<S> : Output<E>;

/** An entity as the server works with it: every stored field, decoded. Sets are sorted arrays. */
export type EntityState<F extends Fields> = {
  id: string;
  createdAt: string;
  updatedAt: string;
  tags: Record<string, unknown>;
} & {
  -readonly [N in keyof F as F[N]['kind'] extends ColumnKind | SetKind ? N : never]: F[N]['kind'] extends SetKind
    ? string[]
    : Nullable<F[N], Output<F[N]>>;
};

/** The derived fields: the detail shows them, and the table does not store them. */
export type Derived<F extends Fields> = {
  -readonly [N in keyof F as F[N] extends { kind: 'derived' | 'input'; detail: 'always' } ? N : never]: ShownOutput<
    F[N]
  >;
} & {
  -readonly [N in keyof F as F[N] extends { kind: 'derived' | 'input'; detail: 'nullable' } ? N : never]: ShownOutput<
    F[N]
  > | null;
} & {
  -readonly [N in keyof F as F[N] extends { kind: 'derived' | 'input'; detail: 'optional' } ? N : never]?: ShownOutput<
    F[N]
  >;
};
