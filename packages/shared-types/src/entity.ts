import { z } from 'zod';
import type { CheckedFields } from './check-contracts.ts';
import { define } from './definitions.ts';
import { baseEntity, listQuery, roleListQuery, tags } from './envelope.ts';
import type { ErrorCode } from './errors.ts';
import type { Body, BodyShape, DetailShape, Fields } from './field.ts';
import { bodyShape, detailShape } from './field.ts';
import type { Resource } from './operation.ts';
import type { Relations } from './relation.ts';

type Tags = { tags: z.ZodOptional<z.ZodNullable<typeof tags>> };

/** The operations of every entity. */
export type Verb = 'list' | 'get' | 'create' | 'update' | 'patch' | 'delete';

/** An entity whose kinds have different members. */
export interface Kinds {
  /** The field that names the kind. */
  readonly by: string;
  /** Kind → its members. A request must send those that end with `!`. */
  readonly members: Readonly<Record<string, readonly string[]>>;
}

/** What the wire knows about an entity. */
interface Description {
  /** Singular, camel case: `servicePolicy`. The names of its definitions begin with it. */
  readonly noun: string;
  /** Path of the collection without the slash: `service-policies`. */
  readonly collection: string;
  /** First part of the permission names: `service-policy` in `service-policy.read`. Default: the noun in kebab case. */
  readonly permission?: string;
  /** Only administrators may write, or use these operations. Other permissions do not allow it. */
  readonly adminWrites?: true | readonly Verb[];
  /** `everyone`: no permission is needed to read it, only a full API session. */
  readonly readers?: 'everyone';
  readonly fields: Fields;
  readonly relations?: Relations;
  readonly kinds?: Kinds;
  /** The query of its list, when it has more than that of every list. The handler of the list must be special, too. */
  readonly query?: z.ZodObject;
  /** Operations of every entity that this one does not have. */
  readonly without?: readonly Verb[];
  /** Errors of these operations that cannot be derived from the rest of the contract. */
  readonly errors?: Readonly<Partial<Record<Verb, readonly ErrorCode[]>>>;
  /** Operations on one entity besides those of every entity. */
  readonly actions?: Resource;
}

/** The contract of an entity: all that the wire knows about it. Schemas, operations and documents are made from it. */
export interface AnyContract extends Description {
  readonly permission: string;
  readonly relations: Relations;
  readonly query: z.ZodObject;
  readonly create: z.ZodObject;
  readonly update: z.ZodObject;
  readonly patch: z.ZodObject;
  readonly detail: z.ZodObject;
}

export type HasAttributes<F extends Fields> = 'attributes' extends F[keyof F]['kind'] ? true : false;
type ListQueryOf<F extends Fields> = HasAttributes<F> extends true ? typeof roleListQuery : typeof listQuery;

/** Whether roles can select an entity. */
export function hasAttributes({ fields }: Pick<AnyContract, 'fields'>): boolean {
  return Object.values(fields).some(({ kind }) => kind === 'attributes');
}

/** The member `N` of a description, or the default when it is left out. */
type Given<D, N, Default> = D extends { readonly [M in N & string]: infer V } ? V : Default;

export interface Contract<D extends Description> extends AnyContract {
  readonly collection: D['collection'];
  readonly fields: D['fields'];
  readonly relations: Given<D, 'relations', Record<never, never>>;
  readonly without: Given<D, 'without', readonly []>;
  readonly actions: Given<D, 'actions', Record<never, never>>;
  readonly query: Given<D, 'query', ListQueryOf<D['fields']>>;
  readonly create: z.ZodObject<BodyShape<D['fields'], 'create'> & Tags>;
  readonly update: z.ZodObject<BodyShape<D['fields'], 'update'> & Tags>;
  readonly patch: z.ZodObject<BodyShape<D['fields'], 'patch'> & Tags>;
  readonly detail: z.ZodObject<typeof baseEntity & DetailShape<D['fields']>>;
}

/** Describes an entity. */
export function entity<const D extends Description>(given: D & { fields: CheckedFields<D['fields']> }): Contract<D> {
  const description: Description = given;
  const { noun, fields } = description;
  const body = (verb: Body) => z.object({ ...bodyShape(fields, verb), tags: tags.nullish() });
  const contract: AnyContract = {
    relations: {},
    permission: noun.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
    query: hasAttributes(description) ? roleListQuery : listQuery,
    ...description,
    create: define(`${noun}Create`, body('create')),
    update: define(`${noun}Update`, body('update')),
    patch: define(`${noun}Patch`, body('patch')),
    detail: define(`${noun}Detail`, z.object({ ...baseEntity, ...detailShape(fields) })),
  };
  return contract as unknown as Contract<D>;
}
