import type { AnyContract, Field } from '@edge-controller/shared-types';
import type { RawBuilder } from 'kysely';
import type { ApiError } from '../core/api-error.ts';
import type { Sizes } from '../core/text/parts-of.ts';
import type { EntityState } from '../storage/entity-store/state.ts';
import type { EntityName } from '../storage/entity-store/tables.ts';
import type { Codec } from './codec.ts';

/**
 * How an entity changes. `set` and `remove`: by the controller itself, for example a lock after wrong passwords, or together with
 * what it belongs to.
 */
export type Verb = 'create' | 'update' | 'patch' | 'set' | 'delete' | 'remove';

/**
 * What a change of a field does to the access to services.
 *
 * - `none`: nothing
 * - `shown`: services show it, so the services of identities change
 * - `cached`: controllers keep it in memory, and read it again
 * - `rights`: it decides who may use which services, so sessions may lose their right
 */
export type AccessEffect = 'none' | 'shown' | 'cached' | 'rights';

/** What the server adds to a field of the contract. */
export interface FieldOptions {
  /** For a field that no request sends: PUT resets it to its default. */
  readonly reset?: true;
  /** API sessions depend on the field: a change counts for them from the next request on. */
  readonly affectsSessions?: true;
  /** When the entity decides about access: what the field has to do with it. */
  readonly access?: AccessEffect;
  /** For a unique field: the error when another entity has the value. Default: `name must be unique`. */
  readonly taken?: (value: string, verb: Verb) => ApiError;
  /** For a reference: what a deletion of the other entity does. Default: `restrict`, the deletion is refused. */
  readonly onDelete?: 'restrict' | 'cascade';
  /** For a reference: the error when the id is unknown. Default: 404. */
  readonly unknown?: (id: string) => ApiError;
}

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
  readonly options: Readonly<Record<string, FieldOptions | undefined>>;
  readonly definition: AnyDefinition;
}

/**
 * A definition as the machinery reads it. Only the definition itself knows which services its hooks need, so to call one takes
 * `as never`. The services of the controller have all that a hook may ask for.
 */
export interface AnyDefinition {
  readonly id?: 'short';
  readonly access?: (write: never, run: () => Promise<void>) => Promise<void>;
  readonly authorize?: (change: never, state: AnyState, next: AnyState | null) => Promise<void>;
  readonly listed?: (services: never) => Promise<readonly RawBuilder<boolean>[]>;
  readonly prepare?: (change: never, next: AnyState, previous: AnyState | null) => Promise<object>;
  readonly written?: (change: never, next: AnyState, previous: AnyState | null) => Promise<void>;
  readonly beforeDelete?: (change: never, state: AnyState) => Promise<void>;
  readonly derive?: (services: never, states: readonly AnyState[]) => Promise<readonly object[]>;
  readonly derivedSizes?: (services: never, states: readonly AnyState[]) => Promise<ReadonlyMap<string, Sizes>>;
}

export type AnyState = EntityState<Record<never, never>> & Record<string, unknown>;
/** Every entity by its name. */
export type Entities = Readonly<Record<EntityName, Entity>>;
