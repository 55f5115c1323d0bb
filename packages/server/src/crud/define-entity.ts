import type { AnyContract, Fields } from '@edge-controller/shared-types';
import { contracts } from '@edge-controller/shared-types';
import type { RawBuilder } from 'kysely';
import type { Sizes } from '../core/text/parts-of.ts';
import type { Derived, EntityState } from '../storage/entity-store/state.ts';
import type { EntityName, FieldsOf } from '../storage/entity-store/tables.ts';
import { codecOf, isColumn, isSet, setTable } from './codec.ts';
import type { Caller } from './dependencies.ts';
import type { AccessEffect, AnyDefinition, AnyState, Entities, Entity, FieldOptions, Verb } from './entity.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/** One change of one entity. */
export interface ProposedChange<C extends Caller = Caller> {
  readonly unit: UnitOfWork<C>;
  readonly verb: Verb;
  /** What the request has sent. `{}` for `set`, `delete` and `remove`. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** One write of one entity, in its transaction. */
export interface Write {
  readonly unit: UnitOfWork;
  readonly entity: Entity;
  /** `null`: the entity is created. */
  readonly previous: AnyState | null;
  /** `null`: the entity is deleted. */
  readonly next: AnyState | null;
}

/** Runs a write, and does what its effect on the access to services needs. */
export type AccessRule = (write: Write, run: () => Promise<void>) => Promise<void>;

type StoredField<F extends Fields> = Exclude<keyof EntityState<F>, 'id' | 'createdAt' | 'updatedAt' | 'tags'> & keyof F;

/** What is special about an entity as a whole. All hooks run in the transaction of the change. */
interface Special<F extends Fields, C extends Caller> {
  /** The form of new ids: a UUID in base 62 (default), or 10 characters (`short`). */
  readonly id?: 'short';
  /**
   * Throws 401 when the caller may not make this change, although they have the permission of the operation. It is not asked for
   * administrators and for the controller itself. `state`: before the change; of a new entity, after it. `next` is null for
   * DELETE. The rules of `prepare` have not been checked yet.
   */
  readonly authorize?: (change: ProposedChange<C>, state: EntityState<F>, next: EntityState<F> | null) => Promise<void>;
  /** Conditions on `t`, the row: which entities lists show to the caller. Default: all. */
  readonly listed?: (services: C) => Promise<readonly RawBuilder<boolean>[]>;
  /** Checks and completes the next state, for every verb. `previous` is null for POST. */
  readonly prepare?: (
    change: ProposedChange<C>,
    next: EntityState<F>,
    previous: EntityState<F> | null,
  ) => Promise<Partial<EntityState<F>>>;
  /** Runs after the entity is written, and writes what belongs to it. */
  readonly written?: (
    change: ProposedChange<C>,
    next: EntityState<F>,
    previous: EntityState<F> | null,
  ) => Promise<void>;
  /** Throws when the entity must not be deleted. */
  readonly beforeDelete?: (change: ProposedChange<C>, state: EntityState<F>) => Promise<void>;
}

/** Options of the fields. An entity that decides about access must state for every field how the field affects access. */
type WithOptions<F extends Fields> =
  | {
      readonly access?: never;
      readonly fields?: { readonly [N in StoredField<F>]?: Omit<FieldOptions, 'access'> };
    }
  | {
      readonly access: AccessRule;
      readonly fields: { readonly [N in StoredField<F>]: FieldOptions & { readonly access: AccessEffect } };
    };

/** The server's half of an entity: only what is special about it. `C`: with the services that its hooks need. */
export type Definition<F extends Fields, C extends Caller = Caller> = Special<F, C> & WithOptions<F>;

type WithDerived<F extends Fields, C extends Caller> = keyof Derived<F> extends never
  ? { readonly derive?: never; readonly derivedSizes?: never }
  : {
      /** Computes the derived fields of all entities of a page at once. */
      readonly derive: (services: C, states: readonly EntityState<F>[]) => Promise<readonly Derived<F>[]>;
      /**
       * When derived fields can be long: the bytes that `derive` reads for each entity, by its id. A key names what several
       * entities share. A list derives at most 1 MiB at once.
       */
      readonly derivedSizes?: (services: C, states: readonly EntityState<F>[]) => Promise<ReadonlyMap<string, Sizes>>;
    };

type Definitions<C extends Caller> = {
  readonly [K in EntityName]: Definition<FieldsOf<K>, C> & WithDerived<FieldsOf<K>, C>;
};

/** Defines an entity. The contract says how its fields behave. The types require `derive` when there are derived fields. */
export function defineEntity<K extends EntityName, C extends Caller = Caller>(
  name: K,
  definition: Definitions<C>[K],
): Entity {
  return entityOf(name, contracts[name], definition as unknown as Described);
}

/** The entities with derived fields: they need a definition. */
type Computed = { [K in EntityName]: keyof Derived<FieldsOf<K>> extends never ? never : K }[EntityName];

/** Completes the definitions: an entity without one has only its contract. */
export function defineEntities(special: { readonly [K in Computed]: Entity } & Partial<Entities>): Entities {
  const names = Object.keys(contracts) as EntityName[];
  return Object.fromEntries(names.map((name) => [name, special[name] ?? entityOf(name, contracts[name])])) as Entities;
}

type Described = AnyDefinition & { readonly fields?: Entity['options'] };

/** Joins a contract and a definition, without a check of their types. */
export function entityOf(name: EntityName, contract: AnyContract, definition: Described = {}): Entity {
  const fields = Object.entries(contract.fields);
  // All entities that get it share this value, and listeners of events see it.
  for (const [, field] of fields) Object.freeze(field.default);
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
    options: definition.fields ?? {},
    definition,
  };
}
