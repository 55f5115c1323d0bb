import type { z } from 'zod';
import type { AnyContract, HasAttributes, Verb } from './entity.ts';
import { hasAttributes } from './entity.ts';
import { attributeQuery, idParams, listQuery, policyTypeQuery } from './envelope.ts';
import type { ErrorCode } from './errors.ts';
import type { Fields } from './field.ts';
import { uniqueText } from './field.ts';
import type { Operation, Resource } from './operation.ts';
import type { CamelCase } from './operation-names.ts';
import { camelCase, permissionOf, readersOf, wordsOf } from './operation-names.ts';
import type { OnClientApi, Relation } from './relation.ts';

type Contracts = Readonly<Record<string, AnyContract>>;

type To<F, N> = N extends keyof F ? (F[N] extends { to: infer T } ? T : never) : never;

/** The name of the entities that a relation lists. `never` for a link alone. */
type TargetOf<C extends Contracts, E extends keyof C, R> = R extends {
  kind: 'belongsToMany' | 'selects';
  field: infer N;
}
  ? To<C[E]['fields'], N>
  : R extends { kind: 'hasMany'; entity: infer T }
    ? T
    : R extends { kind: 'selectedBy'; policies: infer T }
      ? T
      : R extends { kind: 'selectedWith'; policies: infer P extends keyof C; others: infer N }
        ? To<C[P]['fields'], N>
        : never;

type RelatedLists<C extends Contracts, E extends keyof C> = {
  readonly [N in keyof C[E]['relations'] & string as [TargetOf<C, E, C[E]['relations'][N]>] extends [never]
    ? never
    : CamelCase<N>]: ReturnType<
    typeof relatedList<C[E], N, C[TargetOf<C, E, C[E]['relations'][N]> & keyof C], RelatedQuery<C[E]['relations'][N]>>
  >;
};
type RelatedQuery<R> = R extends { byType: true } ? typeof policyTypeQuery : typeof listQuery;

type Without<C extends AnyContract> = C extends { without: readonly (infer V)[] } ? V : never;

/** All operations of the entities on the Management API: those of every entity, the actions, the related lists. */
export type EntityOperations<C extends Contracts> = {
  readonly [E in keyof C]: Omit<ReturnType<typeof operationsOf<C[E]>>, Without<C[E]> & Verb> &
    C[E]['actions'] &
    AttributeList<C[E]['fields']> &
    RelatedLists<C, E>;
};

/** Makes the operations of all entities from their contracts. */
export function entityOperations<C extends Contracts>(contracts: C): EntityOperations<C> {
  const resources = Object.entries(contracts).map(([name, contract]): [string, Resource] => {
    const { without = [], actions = {} } = contract;
    const verbs = Object.entries(operationsOf(contract)).filter(([verb]) => !without.includes(verb as Verb));
    const lists = relatedEntities(contracts, name).map(({ verb, name: path, target, relation }) => [
      verb,
      relatedList(contract, path, {
        listed: contractOf(contracts, target),
        query: 'byType' in relation ? policyTypeQuery : listQuery,
      }),
    ]);
    const attributes = hasAttributes(contract) ? [['roleAttributes', attributeList(contract)]] : [];
    return [name, Object.fromEntries([...verbs, ...Object.entries(actions), ...attributes, ...lists])];
  });
  return Object.fromEntries(resources) as EntityOperations<C>;
}

/** Returns the same operations below another path. Their types keep the former one, so that both have the same handlers. */
export function atPath<R extends Resource>(resource: R, from: string, to: string): R {
  const moved = Object.entries(resource).map(([verb, operation]) => [
    verb,
    { ...operation, path: operation.path.replace(from, to) },
  ]);
  return Object.fromEntries(moved) as R;
}

type ClientRelation<R> = { readonly [N in keyof R as R[N] extends { client: OnClientApi } ? N : never]: R[N] };
type ResourceOf<P> = P extends `/${infer Name}`
  ? Name extends `${infer First}/${infer Rest}`
    ? CamelCase<`${First}-${Rest}`>
    : CamelCase<Name>
  : never;
type ClientQuery<R> = R extends { client: { query: infer Q extends z.ZodObject } } ? Q : typeof listQuery;
type ClientOperationsOf<C extends AnyContract, R> = R extends { client: { path: infer P extends string } }
  ? ReturnType<typeof clientList<C, P, ClientQuery<R>>> &
      (R extends { client: { get: true } } ? ReturnType<typeof clientGet<C, P>> : Record<never, never>)
  : never;

/** Operations of the Client API: the related lists of the caller, by resource. */
export type CallerOperations<C extends Contracts & { readonly identities: AnyContract }> = {
  readonly [N in keyof ClientRelation<C['identities']['relations']> as ResourceOf<
    ClientRelation<C['identities']['relations']>[N] extends { client: { path: infer P } } ? P : never
  >]: ClientOperationsOf<
    C[TargetOf<C, 'identities', C['identities']['relations'][N]> & keyof C],
    C['identities']['relations'][N]
  >;
};

/** Makes the operations of the Client API for the related lists of the caller. */
export function callerOperations<C extends Contracts & { readonly identities: AnyContract }>(
  contracts: C,
): CallerOperations<C> {
  const resources = relatedEntities(contracts, 'identities').flatMap(({ relation, target }) => {
    if (!('client' in relation) || !relation.client) return [];
    const { path, get, query = listQuery } = relation.client;
    const contract = contractOf(contracts, target);
    return [[resourceOf(path), { ...clientList(contract, path, query), ...(get && clientGet(contract, path)) }]];
  });
  return Object.fromEntries(resources) as CallerOperations<C>;
}

/** A relation that lists entities. */
export interface RelatedEntities {
  /** The name of the link. */
  readonly name: string;
  /** The name of the operation. */
  readonly verb: string;
  /** The name of the listed entities. */
  readonly target: string;
  readonly relation: Exclude<Relation, { kind: 'link' | 'entityOf' }>;
}

/** The relations of an entity that list others. */
export function relatedEntities(contracts: Contracts, name: string): RelatedEntities[] {
  const { fields, relations } = contractOf(contracts, name);
  return Object.entries(relations).flatMap(([link, relation]) => {
    if (relation.kind === 'link' || relation.kind === 'entityOf') return [];
    return [{ name: link, verb: camelCase(link), target: targetOf(contracts, fields, relation), relation }];
  });
}

function targetOf(contracts: Contracts, own: Fields, relation: RelatedEntities['relation']): string {
  if (relation.kind === 'hasMany') return relation.entity;
  if (relation.kind === 'selectedBy') return relation.policies;
  if (relation.kind === 'selectedWith') {
    return String(contractOf(contracts, relation.policies).fields[relation.others]?.to);
  }
  return String(own[relation.field]?.to);
}

/** The name of the resource with a path on the Client API: `/services` → `services`. */
export function resourceOf(path: string): string {
  return camelCase(path.slice(1).replaceAll('/', '-'));
}

function contractOf(contracts: Contracts, name: string): AnyContract {
  const contract = contracts[name];
  if (!contract) throw new Error(`there is no entity '${name}': add it to contracts.ts`);
  return contract;
}

/** The errors of changes that come from the contract: a protected entity, and what the entity itself lists. */
function changeErrorsOf({ fields, errors = {} }: AnyContract, verb: 'update' | 'patch' | 'delete'): ErrorCode[] {
  const refused = verb === 'delete' ? 'ENTITY_CAN_NOT_BE_DELETED' : 'ENTITY_CAN_NOT_BE_UPDATED';
  const isProtected = Object.values(fields).some(({ protects }) => protects);
  return [...(isProtected ? ([refused] as const) : []), ...(errors[verb] ?? [])];
}

function operationsOf<C extends AnyContract>(contract: C) {
  const { list, get } = readingsOf(contract);
  const { create, update, patch, delete: remove } = changesOf(contract);
  return { list, get, create, update, patch, delete: remove } as const satisfies Record<Verb, Operation>;
}

function placesOf<C extends AnyContract>(contract: C) {
  const collection: C['collection'] = contract.collection;
  const all: `/${C['collection']}` = `/${collection}`;
  const one: `/${C['collection']}/{id}` = `/${collection}/{id}`;
  return { all, one };
}

function readingsOf<C extends AnyContract>(contract: C) {
  const { all, one } = placesOf(contract);
  return {
    list: {
      method: 'GET',
      path: all,
      ...readersOf(contract),
      result: 'list',
      query: contract.query as C['query'],
      response: contract.detail as C['detail'],
      summary: `Lists ${contract.collection.replaceAll('-', ' ')}`,
    },
    get: {
      method: 'GET',
      path: one,
      ...readersOf(contract),
      result: 'detail',
      params: idParams,
      response: contract.detail as C['detail'],
      summary: `Reads one ${wordsOf(contract.noun)}`,
    },
  } as const;
}

function changesOf<C extends AnyContract>(contract: C) {
  const { errors = {} } = contract;
  const { all, one } = placesOf(contract);
  const noun = wordsOf(contract.noun);
  return {
    create: {
      method: 'POST',
      path: all,
      access: 'admin',
      permission: permissionOf(contract, 'create'),
      result: 'create',
      body: contract.create as C['create'],
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
      body: contract.update as C['update'],
      errors: changeErrorsOf(contract, 'update'),
      summary: `Replaces every writable field of one ${noun}`,
    },
    patch: {
      method: 'PATCH',
      path: one,
      access: 'admin',
      permission: permissionOf(contract, 'patch'),
      result: 'empty',
      params: idParams,
      body: contract.patch as C['patch'],
      errors: changeErrorsOf(contract, 'patch'),
      summary: `Changes the sent fields of one ${noun}; null counts as not sent`,
    },
    delete: {
      method: 'DELETE',
      path: one,
      access: 'admin',
      permission: permissionOf(contract, 'delete'),
      result: 'empty',
      params: idParams,
      errors: ['CAN_NOT_DELETE_REFERENCED_ENTITY', ...changeErrorsOf(contract, 'delete')],
      summary: `Deletes one ${noun} and all that belongs to it`,
    },
  } as const;
}

type AttributeList<F extends Fields> =
  HasAttributes<F> extends true ? { readonly roleAttributes: ReturnType<typeof attributeList> } : unknown;

/** `GET /service-role-attributes`: the attributes in use. */
function attributeList(contract: AnyContract) {
  const noun = wordsOf(contract.noun);
  const path: `/${string}-role-attributes` = `/${noun.replaceAll(' ', '-')}-role-attributes`;
  return {
    method: 'GET',
    path,
    ...readersOf(contract),
    result: 'list',
    query: attributeQuery,
    response: uniqueText,
    summary: `Lists the role attributes that at least one ${noun} has`,
  } as const satisfies Operation;
}

/** `GET /parents/{id}/children`: a list of the other entity, with the permission to read that entity. */
function relatedList<P extends AnyContract, N extends string, C extends AnyContract, Q extends z.ZodObject>(
  parent: P,
  name: N,
  { listed, query }: { readonly listed: C; readonly query: Q },
) {
  const collection: P['collection'] = parent.collection;
  const path: `/${P['collection']}/{id}/${N}` = `/${collection}/{id}/${name}`;
  return {
    method: 'GET',
    path,
    ...readersOf(listed),
    result: 'list',
    params: idParams,
    query,
    response: listed.detail as C['detail'],
    summary: `Lists the ${name.replaceAll('-', ' ')} of one ${wordsOf(parent.noun)}`,
  } as const satisfies Operation;
}

function clientList<C extends AnyContract, P extends string, Q extends z.ZodObject>(listed: C, path: P, query: Q) {
  return {
    list: {
      method: 'GET',
      path,
      access: 'full',
      result: 'list',
      query,
      response: listed.detail as C['detail'],
      summary: `Lists the ${listed.collection.replaceAll('-', ' ')} of the identity of the session`,
    },
  } as const satisfies Resource;
}

function clientGet<C extends AnyContract, P extends string>(listed: C, path: P) {
  const one: `${P}/{id}` = `${path}/{id}`;
  return {
    get: {
      method: 'GET',
      path: one,
      access: 'full',
      result: 'detail',
      params: idParams,
      response: listed.detail as C['detail'],
      summary: `Reads one ${wordsOf(listed.noun)} of the identity of the session`,
    },
  } as const satisfies Resource;
}
