import type { AnyContract, Field, Fields } from '@edge-controller/shared-types';
import { contracts } from '@edge-controller/shared-types';
import type { ApiError } from '../api-error.ts';
import type { Services } from '../call.ts';
import type { EntityName, FieldsOf } from '../entity-store/tables.ts';
import type { Codec } from './codec.ts';
import { codecOf, isColumn, isSet, setTable } from './codec.ts';
import type { Derived, State } from './state.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/** One change of one entity. */
export interface Change {
  readonly unit: UnitOfWork;
  /** `set`: a change by the controller itself, for example a lock after wrong passwords. */
  readonly verb: 'create' | 'update' | 'patch' | 'set' | 'delete';
  /** What the request has sent. `{}` for `set` and `delete`. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** What the server adds to a field of the contract. */
export interface FieldOptions<V> {
  /** The value when POST or PUT does not send it; of a field that is never sent, the first value. */
  readonly absent?: V;
  /** PUT sets a field that is never sent back to `absent`. */
  readonly reset?: true;
  /** A change counts for live API sessions from the next request on. */
  readonly live?: true;
  /** No two entities have the same value. Returns the error for a value that is taken. */
  readonly unique?: (value: string, verb: Change['verb']) => ApiError;
  /** The value is unique among the entities that have the same value in this field. */
  readonly uniqueWith?: string;
  /** Of a reference: what happens here when the other entity is deleted. Default: `restrict`, its deletion is refused. */
  readonly onDelete?: 'restrict' | 'cascade';
  /** Of a reference: the error for an unknown id. Default: 404. */
  readonly unknown?: (id: string) => ApiError;
  /** Of roles: the field that says `AllOf` or `AnyOf`. */
  readonly semantic?: string;
}

type Held<F extends Fields> = Exclude<keyof State<F>, 'id' | 'createdAt' | 'updatedAt' | 'tags'> & keyof F;
/** Fields that need a value when nobody sends one. */
type Undecided<F extends Fields> = {
  [N in keyof F]: F[N] extends { kind: 'value' | 'reference'; create: 'optional' | 'none'; detail: 'always' | 'none' }
    ? N
    : never;
}[keyof F];
type Value<F extends Fields, N> = N extends keyof State<F> ? State<F>[N] : never;
type FieldTable<F extends Fields> = {
  readonly [N in Undecided<F>]: FieldOptions<Value<F, N>> & { readonly absent: Value<F, N> };
} & { readonly [N in Exclude<Held<F>, Undecided<F>>]?: FieldOptions<Value<F, N>> };

/** The server's half of an entity: only what is special about it. All hooks run in the transaction of the change. */
export interface Definition<F extends Fields> {
  /** The form of new ids: 10 characters (`short`), or a UUID in base 62. */
  readonly id: 'short' | 'base62';
  readonly fields: FieldTable<F>;
  /** Checks and completes the next state, for every verb. `previous` is null for POST. */
  readonly prepare?: (change: Change, next: State<F>, previous: State<F> | null) => Promise<Partial<State<F>>>;
  /** Writes what belongs to the entity. */
  readonly written?: (change: Change, next: State<F>, previous: State<F> | null) => Promise<void>;
  /** Throws when the entity must not be deleted. */
  readonly beforeDelete?: (change: Change, state: State<F>) => Promise<void>;
}

type WithDerived<F extends Fields> = keyof Derived<F> extends never
  ? { readonly derive?: never }
  : {
      /** Computes what the table does not hold, for all entities of a page at once. */
      readonly derive: (services: Services, states: readonly State<F>[]) => Promise<readonly Derived<F>[]>;
    };

/** An entity as the machinery reads it, without its types. */
export interface Entity {
  readonly name: EntityName;
  readonly contract: AnyContract;
  /** The fields that have a column in the table of the entity. */
  readonly columns: readonly { readonly name: string; readonly field: Field; readonly codec: Codec }[];
  /** The columns with JSON, which can be long. */
  readonly longColumns: readonly string[];
  /** The fields that have a table of their own. */
  readonly sets: readonly { readonly name: string; readonly field: Field; readonly table: string }[];
  readonly options: Readonly<Record<string, FieldOptions<unknown> | undefined>>;
  readonly definition: Omit<Definition<Fields>, 'fields' | 'prepare' | 'written' | 'beforeDelete'> & {
    prepare?: (change: Change, next: AnyState, previous: AnyState | null) => Promise<object>;
    written?: (change: Change, next: AnyState, previous: AnyState | null) => Promise<void>;
    beforeDelete?: (change: Change, state: AnyState) => Promise<void>;
    derive?: (services: Services, states: readonly AnyState[]) => Promise<readonly object[]>;
  };
}

export type AnyState = State<Record<never, never>> & Record<string, unknown>;
/** Every entity by its name. */
export type Entities = Readonly<Record<EntityName, Entity>>;

/** Defines an entity. A field about which something must be said and is not does not compile. */
export function defineEntity<K extends EntityName>(
  name: K,
  definition: Definition<FieldsOf<K>> & WithDerived<FieldsOf<K>>,
): Entity {
  return entityOf(name, contracts[name], definition as unknown as AnyDefinition);
}

type AnyDefinition = Entity['definition'] & { readonly fields: Entity['options'] };

/** Joins a contract and a definition, without a check of their types. */
export function entityOf(name: EntityName, contract: AnyContract, definition: AnyDefinition): Entity {
  const fields = Object.entries(contract.fields);
  // All entities that get it share this value, and listeners of events see it.
  for (const option of Object.values(definition.fields)) Object.freeze(option?.absent);
  const columns = fields.flatMap(([column, field]) =>
    isColumn(field) ? [{ name: column, field, codec: codecOf(field.schema) }] : [],
  );
  const long = columns.filter(({ codec }) => codec.isJson);
  return {
    name,
    contract,
    columns,
    longColumns: ['tags', ...long.map((column) => column.name)],
    sets: fields.flatMap(([set, field]) => (isSet(field) ? [{ name: set, field, table: setTable(name, set) }] : [])),
    options: definition.fields,
    definition,
  };
}
