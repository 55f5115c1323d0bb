import type { EntityRef } from '@edge-controller/shared-types';
import { sql } from 'kysely';
import type { Services } from '../call.ts';
import { inValues } from '../stores/sql/select-values.ts';
import type { EntityName } from '../stores/tables.ts';
import type { AnyState, Entity } from './define-entity.ts';
import { entityRefOf, linkColumns, linksOf } from './links.ts';

/** Entities as the wire shows them. A page of any length needs the same number of queries. */
export async function detailsOf(services: Services, entity: Entity, states: readonly AnyState[]): Promise<object[]> {
  if (states.length === 0) return [];
  const { contract, definition } = entity;
  const fields = Object.entries(contract.fields);
  const references = await Promise.all(
    fields
      .filter(([, { kind, detail }]) => kind === 'reference' && detail !== 'none')
      .map(async ([name, { to }]) => ({ name, refs: await readRefs(services, to as EntityName, states, name) })),
  );
  const derived = definition.derive ? await definition.derive(services, states) : [];
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
    return Object.assign(shown, derived[at]);
  });
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

async function readRefs(
  { entities, definitions }: Services,
  to: EntityName,
  states: readonly AnyState[],
  field: string,
): Promise<ReadonlyMap<string, EntityRef>> {
  const { contract } = definitions[to];
  const ids = [...new Set(states.flatMap((state) => (state[field] === null ? [] : [String(state[field])])))];
  const names = contract.fields.name ? ['name'] : [];
  const columns = ['id', ...names, ...linkColumns(contract)].map((column) => sql.ref(column));
  const read = await sql<{ id: string; name?: string }>`select ${sql.join(columns)} from ${sql.table(to)}
    where "id" in ${inValues(entities.sql, ids)}`.execute(entities.db);
  return new Map(read.rows.map((row) => [row.id, entityRefOf(contract, row)]));
}
