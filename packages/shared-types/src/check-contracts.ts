import type { z } from 'zod';
import type { AnyContract, HasAttributes } from './entity.ts';
import type { Field, Fields } from './field.ts';
import type { CamelCase } from './operation-names.ts';
import type { Relation } from './relation.ts';

// Each text in these types is an error message: the compiler reports that a value is not assignable to it.

type Quoted<N> = N extends string ? `'${N}'` : never;
type NamesOf<T> = keyof T & string;

type IsSemantic<F> = F extends { schema: infer S extends z.ZodType }
  ? [z.output<S>] extends ['AllOf' | 'AnyOf']
    ? true
    : false
  : false;

type SemanticFault<F extends Fields, M> = M extends keyof F
  ? IsSemantic<F[M]> extends true
    ? never
    : `the semantic ${Quoted<M>} is a field without AllOf and AnyOf`
  : `the semantic ${Quoted<M>} is none of the fields`;

/** Always shown, but optional in requests. */
type NeedsDefault = {
  readonly kind: 'value' | 'reference';
  readonly create: 'optional' | 'none';
  readonly detail: 'always' | 'none';
};

type FieldFault<F extends Fields, N extends keyof F> = F[N] extends { kind: 'roles'; semantic: infer M }
  ? SemanticFault<F, M>
  : F[N] extends { unique: { with: infer W } }
    ? W extends keyof F
      ? never
      : `unique with ${Quoted<W>}, which is none of the fields`
    : F[N] extends NeedsDefault
      ? F[N] extends { default: unknown }
        ? NameFault<F[N], N>
        : `${Quoted<N>} needs a default: it is shown always, and not always sent`
      : NameFault<F[N], N>;

type NameFault<F, N> = F extends { kind: 'reference' }
  ? N extends `${string}Id`
    ? never
    : `the reference ${Quoted<N>} has a name that does not end with Id`
  : never;

type OrFault<T, Fault> = [Fault] extends [never] ? T : Fault;

/** The fields. A field that contradicts another one is replaced by a message. */
export type CheckedFields<F extends Fields> = { readonly [N in keyof F]: OrFault<F[N], FieldFault<F, N>> };

type Contracts = Readonly<Record<string, AnyContract>>;

/** The fields of every entity. Filter symbols may name them, too. */
type BaseField = 'id' | 'createdAt' | 'updatedAt';

type SymbolFault<C extends Contracts, T extends keyof C, X> = X extends `${string}.${infer N}`
  ? N extends keyof C[T]['fields'] | BaseField
    ? never
    : `the filter symbol ${Quoted<X>} names no field of ${Quoted<T>}`
  : never;

type TargetFault<C extends Contracts, F extends Field> = F extends { to: infer T; kind: infer K }
  ? T extends keyof C
    ? K extends 'reference'
      ? SymbolFault<C, T, F['filter'][number]>
      : K extends 'roles'
        ? SelectionFault<C, T>
        : never
    : `${Quoted<T>} is no entity`
  : never;

type SelectionFault<C extends Contracts, T extends keyof C> =
  HasAttributes<C[T]['fields']> extends true ? never : `roles cannot select ${Quoted<T>}, which have no attributes`;

type FieldOf<C extends Contracts, E, N, K, To = string> = E extends keyof C
  ? N extends keyof C[E]['fields']
    ? C[E]['fields'][N] extends { kind: infer Kind; to: infer T }
      ? Kind extends K
        ? T extends To
          ? never
          : `${Quoted<N>} of ${Quoted<E>} leads to ${Quoted<T>}, not to this entity`
        : `${Quoted<N>} of ${Quoted<E>} is of another kind`
      : `${Quoted<N>} of ${Quoted<E>} is of another kind`
    : `${Quoted<N>} is no field of ${Quoted<E>}`
  : `${Quoted<E>} is no entity`;

type RelationFault<C extends Contracts, E, R extends Relation> = R extends { kind: 'entityOf'; field: infer N }
  ? FieldOf<C, E, N, 'reference'>
  : R extends { kind: 'belongsToMany'; field: infer N }
    ? FieldOf<C, E, N, 'references'>
    : R extends { kind: 'selects'; field: infer N }
      ? FieldOf<C, E, N, 'roles'>
      : R extends { kind: 'hasMany'; entity: infer O; field: infer N }
        ? FieldOf<C, O, N, 'reference' | 'references', E>
        : R extends { kind: 'selectedBy'; policies: infer P; field: infer N }
          ? FieldOf<C, P, N, 'roles', E>
          : R extends { kind: 'selectedWith'; policies: infer P; field: infer N; others: infer O }
            ? FieldOf<C, P, N, 'roles', E> | FieldOf<C, P, O, 'roles'>
            : R extends { kind: 'link'; while: { field: infer N } }
              ? N extends NamesOf<C[E & keyof C]['fields']>
                ? never
                : `${Quoted<N>} is no field of ${Quoted<E>}`
              : never;

type ContractFaults<C extends Contracts, E extends keyof C> =
  | { [N in keyof C[E]['fields']]: TargetFault<C, C[E]['fields'][N]> }[keyof C[E]['fields']]
  | {
      [N in keyof C[E]['relations'] & string]:
        | RelationFault<C, E, C[E]['relations'][N]>
        | ActionFault<C[E]['actions'], N, C[E]['relations'][N]['kind']>;
    }[keyof C[E]['relations'] & string];

/** The list of a relation is an operation beside the actions. A link alone is none. */
type ActionFault<Actions, N extends string, Kind> = Kind extends 'link' | 'entityOf'
  ? never
  : CamelCase<N> extends keyof Actions
    ? `a relation and an action have the name ${Quoted<CamelCase<N>>}`
    : never;

/** The contracts. A contract that refers to something unknown is replaced by a message. */
type CheckedContracts<C extends Contracts> = { readonly [E in keyof C]: OrFault<C[E], ContractFaults<C, E>> };

/** Returns the contracts. A reference to an unknown entity or field is a compile error. */
export function checkContracts<const C extends Contracts>(contracts: C & CheckedContracts<C>): C {
  return contracts;
}
