import type { EntityRef } from '@edge-controller/shared-types';
import type { EntityName } from '../storage/entity-store/tables.ts';
import type { Dependencies } from './dependencies.ts';
import type { AnyState, Entity } from './entity.ts';
import { linksOf } from './links.ts';
import { readRefs } from './read-refs.ts';
import { idsOfRoles } from './roles.ts';

/** Entities as the wire shows them. A page of any length needs the same number of queries. */
export async function detailsOf(
  dependencies: Dependencies,
  entity: Entity,
  states: readonly AnyState[],
): Promise<object[]> {
  if (states.length === 0) return [];
  const { contract, definition } = entity;
  const fields = Object.entries(contract.fields);
  const references = await Promise.all(
    fields
      .filter(([, { kind, detail }]) => kind === 'reference' && detail !== 'none')
      .map(async ([name, { to }]) => ({
        name,
        refs: await readRefs(dependencies, to as EntityName, idsOf(states, name)),
      })),
  );
  const roles = await Promise.all(
    fields
      .filter(([, { kind }]) => kind === 'roles')
      .map(async ([name, { to }]) => ({
        name,
        refs: await readRefs(
          dependencies,
          to as EntityName,
          states.flatMap((state) => idsOfRoles(rolesIn(state, name))),
        ),
      })),
  );
  const derived = definition.derive ? await definition.derive(dependencies as never, states) : [];
  return states.map((state, at) => {
    const { id, createdAt, updatedAt, tags } = state;
    const shown: Record<string, unknown> = { id, createdAt, updatedAt, tags, _links: linksOf(contract, state) };
    for (const [name, { kind, detail }] of fields) {
      if (kind === 'derived' || kind === 'input' || detail === 'none') continue;
      const value = isEmpty(state[name]) && detail === 'nullable' ? null : state[name];
      if (detail !== 'optional' || !(value === null || value === false)) shown[name] = value;
    }
    for (const { name, refs } of references) {
      const ref = refs.get(String(state[name]));
      if (ref) shown[name.slice(0, -2)] = ref;
    }
    for (const { name, refs } of roles) {
      shown[`${name}Display`] = rolesIn(state, name).map((role) => ({ role, name: displayOf(role, refs) }));
    }
    return Object.assign(shown, derived[at]);
  });
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function idsOf(states: readonly AnyState[], field: string): string[] {
  return states.flatMap((state) => (state[field] === null ? [] : [String(state[field])]));
}

function rolesIn(state: AnyState, field: string): readonly string[] {
  return state[field] as string[];
}

/** `@name` for `@id`. */
function displayOf(role: string, refs: ReadonlyMap<string, EntityRef>): string {
  const name = role.startsWith('@') ? refs.get(role.slice(1))?.name : undefined;
  return name === undefined ? role : `@${name}`;
}
