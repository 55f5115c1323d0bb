import { z } from 'zod';
import { define } from './definitions.ts';
import { baseEntity, idParams, listQuery, roleListQuery, tags } from './envelope.ts';
import type { ErrorCode } from './errors.ts';
import type { Body, BodyShape, DetailShape, Fields } from './field.ts';
import { bodyShape, detailShape } from './field.ts';
import type { Operation } from './operation.ts';
import type { Action, Permission } from './permission.ts';

type Tags = { tags: z.ZodOptional<z.ZodNullable<typeof tags>> };

/** An entity whose kinds have different members. */
export interface Kinds {
  /** The field that names the kind. */
  readonly by: string;
  /** Kind → its members. A request must send those that end with `!`. */
  readonly members: Readonly<Record<string, readonly string[]>>;
}

/** The contract of an entity: all that the wire knows about it. Schemas, operations and documents are made from it. */
export interface AnyContract {
  /** Singular, camel case: `servicePolicy`. The names of its definitions begin with it. */
  readonly noun: string;
  /** Path of the collection without the slash: `service-policies`. */
  readonly collection: string;
  /** First part of the permission names: `service-policy` in `service-policy.read`. */
  readonly permission: string;
  /** True when only administrators may write. Other permissions then allow only reading. */
  readonly adminWrites: boolean;
  readonly fields: Fields;
  /** Relations in `_links` besides `self`: a list below the entity, or the name of a reference field, for its entity. */
  readonly links: readonly string[];
  /** Relations of `links` that are there only while a field has a value. */
  readonly linksWhile?: Readonly<Record<string, { readonly field: string; readonly is: boolean }>>;
  readonly kinds?: Kinds;
  readonly create: z.ZodObject;
  readonly update: z.ZodObject;
  readonly patch: z.ZodObject;
  readonly detail: z.ZodObject;
}

export interface Contract<P extends string, F extends Fields> extends AnyContract {
  readonly collection: P;
  readonly fields: F;
  readonly create: z.ZodObject<BodyShape<F, 'create'> & Tags>;
  readonly update: z.ZodObject<BodyShape<F, 'update'> & Tags>;
  readonly patch: z.ZodObject<BodyShape<F, 'patch'> & Tags>;
  readonly detail: z.ZodObject<typeof baseEntity & DetailShape<F>>;
}

/** Describes an entity. `permission` is the noun in kebab case unless it is given. */
export function entity<const P extends string, F extends Fields>(given: {
  noun: string;
  collection: P;
  permission?: string;
  adminWrites?: true;
  fields: F;
  links?: readonly string[];
  linksWhile?: NonNullable<AnyContract['linksWhile']>;
  kinds?: Kinds;
}): Contract<P, F> {
  const { noun, fields, links = [], adminWrites = false } = given;
  const body = (verb: Body) => z.object({ ...bodyShape(fields, verb), tags: tags.nullish() });
  const schemas: unknown = {
    create: define(`${noun}Create`, body('create')),
    update: define(`${noun}Update`, body('update')),
    patch: define(`${noun}Patch`, body('patch')),
    detail: define(`${noun}Detail`, z.object({ ...baseEntity, ...detailShape(fields) })),
  };
  const permission = given.permission ?? noun.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return { ...given, permission, links, adminWrites, ...(schemas as Pick<Contract<P, F>, Body | 'detail'>) };
}

/** The operations list, get, create, update, patch and delete of an entity. */
export function operationsOf<P extends string, F extends Fields>(
  contract: Contract<P, F>,
  errors: Readonly<Partial<Record<'create' | 'update' | 'patch' | 'delete', readonly ErrorCode[]>>> = {},
) {
  const { collection } = contract;
  const path = `/${collection}` as const;
  const one = `/${collection}/{id}` as const;
  const noun = contract.noun.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return {
    list: {
      method: 'GET',
      path,
      access: 'admin',
      permission: permissionOf(contract, 'read'),
      result: 'list',
      query: listQueryOf(contract.fields),
      response: contract.detail,
      summary: `Lists ${collection.replaceAll('-', ' ')}`,
    },
    get: {
      method: 'GET',
      path: one,
      access: 'admin',
      permission: permissionOf(contract, 'read'),
      result: 'detail',
      params: idParams,
      response: contract.detail,
      summary: `Reads one ${noun}`,
    },
    create: {
      method: 'POST',
      path,
      access: 'admin',
      permission: permissionOf(contract, 'create'),
      result: 'create',
      body: contract.create,
      errors: errors.create ?? [],
      summary: `Creates one ${noun}`,
    },
    update: {
      method: 'PUT',
      path: one,
      access: 'admin',
      permission: permissionOf(contract, 'update'),
      result: 'empty',
      params: idParams,
      body: contract.update,
      errors: errors.update ?? [],
      summary: `Replaces every writable field of one ${noun}`,
    },
    patch: {
      method: 'PATCH',
      path: one,
      access: 'admin',
      permission: permissionOf(contract, 'update'),
      result: 'empty',
      params: idParams,
      body: contract.patch,
      errors: errors.patch ?? [],
      summary: `Changes the sent fields of one ${noun}; null counts as not sent`,
    },
    delete: {
      method: 'DELETE',
      path: one,
      access: 'admin',
      permission: permissionOf(contract, 'delete'),
      result: 'empty',
      params: idParams,
      errors: ['CAN_NOT_DELETE_REFERENCED_ENTITY', ...(errors.delete ?? [])],
      summary: `Deletes one ${noun} and all that belongs to it`,
    },
  } as const satisfies Record<string, Operation>;
}

type ListQueryOf<F extends Fields> = 'attributes' extends F[keyof F]['kind'] ? typeof roleListQuery : typeof listQuery;

function listQueryOf<F extends Fields>(fields: F): ListQueryOf<F> {
  const hasAttributes = Object.values(fields).some(({ kind }) => kind === 'attributes');
  return (hasAttributes ? roleListQuery : listQuery) as ListQueryOf<F>;
}

/** `GET /parents/{id}/children`: a list of the other entity, with the permission to read that entity. */
export function related<P extends string, F extends Fields, const N extends string, C extends AnyContract>(
  parent: Contract<P, F>,
  name: N,
  listed: C,
) {
  return {
    method: 'GET',
    path: `/${parent.collection}/{id}/${name}`,
    access: 'admin',
    permission: permissionOf(listed, 'read'),
    result: 'list',
    params: idParams,
    query: listQuery,
    response: listed.detail as C['detail'],
    summary: `Lists the ${name.replaceAll('-', ' ')} of one ${parent.noun}`,
  } as const satisfies Operation;
}

function permissionOf({ permission, adminWrites }: AnyContract, action: Action): Permission {
  return adminWrites && action !== 'read' ? 'admin' : `${permission}.${action}`;
}
