import type { contracts } from '@edge-controller/shared-types';
import type { z } from 'zod';
import type { SessionCall } from '../call.ts';
import type { EntityName } from '../entity-store/tables.ts';
import type { Query } from '../lib/filter/page.ts';
import { getEntity, listEntities } from './read-entities.ts';
import type { Relation } from './relations.ts';
import type { RoleFilter } from './role-filter.ts';
import { roleConditions } from './role-filter.ts';
import { inUnitOfWork } from './unit-of-work.ts';
import { createEntity, deleteEntity, updateEntity } from './write.ts';

type Body<K extends EntityName, B extends 'create' | 'update' | 'patch'> = z.output<(typeof contracts)[K][B]>;
interface One {
  readonly params: { readonly id: string };
}

/** The handlers list, get, create, update, patch and delete of an entity. */
export function handlersOf<K extends EntityName>(name: K) {
  const change = (verb: 'update' | 'patch') => (call: SessionCall, input: One & { readonly body: object }) =>
    inUnitOfWork(call, (unit) =>
      updateEntity(unit, name, { verb, id: input.params.id, body: input.body as Record<string, unknown> }),
    );
  return {
    list: async (call: SessionCall, { query }: { readonly query: Query & RoleFilter }) =>
      await listEntities(call, name, query, { conditions: await roleConditions(call, name, query) }),
    get: (call: SessionCall, { params: { id } }: One) => getEntity(call, name, id),
    create: async (call: SessionCall, { body }: { readonly body: Body<K, 'create'> }) => ({
      id: await inUnitOfWork(call, (unit) => createEntity(unit, name, body as Record<string, unknown>)),
    }),
    update: change('update') as (call: SessionCall, input: One & { readonly body: Body<K, 'update'> }) => Promise<void>,
    patch: change('patch') as (call: SessionCall, input: One & { readonly body: Body<K, 'patch'> }) => Promise<void>,
    delete: (call: SessionCall, { params: { id } }: One) => inUnitOfWork(call, (unit) => deleteEntity(unit, name, id)),
  };
}

/** The handler of `/parents/{id}/children`. An unknown parent has none. */
export function relatedList<K extends EntityName>(name: K, relation: Relation) {
  return async (call: SessionCall, { params: { id }, query }: One & { readonly query: Query }) =>
    await listEntities(call, name, query, { conditions: [await relation(call, id)] });
}
