import type { callerOperations, managementApi, RelatedEntities } from '@edge-controller/shared-types';
import { contracts, hasAttributes, relatedEntities, resourceOf } from '@edge-controller/shared-types';
import { sql } from 'kysely';
import { notFound } from '../core/api-error.ts';
import type { HandlersWith } from '../core/call.ts';
import type { Query } from '../core/filter/page.ts';
import type { EntityName } from '../storage/entity-store/tables.ts';
import type { Dependencies, Session, SessionCall } from './dependencies.ts';
import { getEntity, listEntities } from './read-entities.ts';
import { relatedTo } from './relations.ts';
import { listRoleAttributes } from './role-attributes.ts';
import type { RoleFilter } from './role-filter.ts';
import { roleConditions } from './role-filter.ts';
import { inUnitOfWork } from './unit-of-work.ts';
import { createEntity, deleteEntity, updateEntity } from './write.ts';

interface One {
  readonly params: { readonly id: string };
}
interface Listed {
  readonly query: Query;
}

interface ListedByType {
  readonly query: Query & { readonly policyType?: string | undefined };
}

type Management<Has, By> = HandlersWith<typeof managementApi, Has, By>;
type Actions<E extends EntityName> = keyof (typeof contracts)[E]['actions'] & keyof Management<never, never>[E];
type WithActions = { [E in EntityName]: Actions<E> extends never ? never : E }[EntityName];

/** The handlers of actions, and of operations that an entity implements itself. The compiler names a missing one. */
type SpecialHandlers<M extends Management<never, never>> = {
  readonly [E in WithActions]: Pick<M[E], Actions<E>> & Partial<M[E]>;
} & { readonly [E in Exclude<EntityName, WithActions>]?: Partial<M[E]> };

/**
 * The handlers of all entities on the Management API. An operation that the contract describes needs no handler of its own.
 */
export function entityHandlers<Has extends Dependencies, By extends Session>(
  special: SpecialHandlers<Management<Has, By>>,
): Pick<Management<Has, By>, EntityName> {
  const names = Object.keys(contracts) as EntityName[];
  const handlers = names.map((name) => [
    name,
    {
      ...handlersOf(name),
      ...(hasAttributes(contracts[name]) && attributeLists(name)),
      ...relatedLists(name),
      ...(special as Partial<Record<EntityName, object>>)[name],
    },
  ]);
  return Object.fromEntries(handlers) as Pick<Management<Has, By>, EntityName>;
}

/** The handlers of the Client API for the related lists of the caller. `callers`: the entities that callers are. */
export function callerHandlers(
  callers: EntityName,
): HandlersWith<ReturnType<typeof callerOperations<typeof contracts>>, Dependencies, Session> {
  const handlers = relatedEntities(contracts, callers).flatMap((related) => {
    const { relation } = related;
    return relation.client ? [[resourceOf(relation.client.path), ownEntities(callers, related)]] : [];
  });
  return Object.fromEntries(handlers);
}

function handlersOf(name: EntityName) {
  const change = (verb: 'update' | 'patch') => (call: SessionCall, input: One & { readonly body: object }) =>
    inUnitOfWork(call, (unit) =>
      updateEntity(unit, name, { verb, id: input.params.id, body: input.body as Record<string, unknown> }),
    );
  return {
    list: async (call: SessionCall, { query }: { readonly query: Query & RoleFilter }) =>
      await listEntities(call, name, query, { conditions: await roleConditions(call, name, query) }),
    get: (call: SessionCall, { params: { id } }: One) => getEntity(call, name, id),
    create: async (call: SessionCall, { body }: { readonly body: object }) => ({
      id: await inUnitOfWork(call, (unit) => createEntity(unit, name, body as Record<string, unknown>)),
    }),
    update: change('update'),
    patch: change('patch'),
    delete: (call: SessionCall, { params: { id } }: One) => inUnitOfWork(call, (unit) => deleteEntity(unit, name, id)),
  };
}

/** The handler of `/service-role-attributes`. */
function attributeLists(name: EntityName) {
  return { roleAttributes: (call: SessionCall, { query }: Listed) => listRoleAttributes(call, name, query) };
}

/** The handlers of `/parents/{id}/children`. */
function relatedLists(entity: EntityName) {
  const lists = relatedEntities(contracts, entity).map((related) => [
    related.verb,
    async (call: SessionCall, { params: { id }, query }: One & ListedByType) =>
      await listEntities(call, related.target as EntityName, query, {
        conditions: await relatedTo(call, { entity, id, policyType: query.policyType }, related),
      }),
  ]);
  return Object.fromEntries(lists);
}

function ownEntities(callers: EntityName, related: RelatedEntities) {
  const target = related.target as EntityName;
  const own = async (call: SessionCall) =>
    await relatedTo(call, { entity: callers, id: call.session.principal.id }, related);
  return {
    list: async (call: SessionCall, { query }: Listed) =>
      await listEntities(call, target, query, { conditions: await own(call), filtersShown: true }),
    get: async (call: SessionCall, { params: { id } }: One) => {
      const conditions = [...(await own(call)), sql<boolean>`t."id" = ${id}`];
      const { batches } = await listEntities(call, target, { limit: 1 }, { conditions });
      for await (const [found] of batches) if (found) return found;
      throw notFound(contracts[target].noun, id);
    },
  };
}
