import type { contracts } from '@edge-controller/shared-types';
import type { RawBuilder } from 'kysely';
import type { z } from 'zod';
import { notFound } from '../core/api-error.ts';
import type { Page, Query } from '../core/filter/page.ts';
import { partsOf } from '../core/text/parts-of.ts';
import type { EntityName } from '../storage/entity-store/tables.ts';
import { detailsOf } from './details.ts';
import type { Entity } from './entity.ts';
import { filterFieldsOf, shownFilterFieldsOf } from './filter-fields.ts';
import { decodeRows, readStates } from './read.ts';
import type { Services } from './services.ts';
import { splitBySets } from './split-by-sets.ts';

type Detail<K extends EntityName> = z.output<(typeof contracts)[K]['detail']>;

/** Reads one entity as the wire shows it. */
export async function getEntity<K extends EntityName>(services: Services, name: K, id: string): Promise<Detail<K>> {
  const [detail] = await readEntities(services, name, [id]);
  if (!detail) throw notFound(services.definitions[name].contract.noun, id);
  return detail;
}

/** Reads entities as the wire shows them, in any order. Unknown ids are left out. */
export async function readEntities<K extends EntityName>(
  services: Services,
  name: K,
  ids: readonly string[],
): Promise<Detail<K>[]> {
  const entity = services.definitions[name];
  return (await detailsOf(services, entity, await readStates(services.entities, entity, ids))) as Detail<K>[];
}

/** Which entities a list has, and which symbols its filter may use. */
interface Selection {
  /** Conditions on `t`, the row. */
  readonly conditions?: readonly RawBuilder<boolean>[];
  /** The filter symbols. Default: all of the entity. */
  readonly symbols?: readonly string[];
  /** Filters may ask only for what the list shows. */
  readonly filtersShown?: true;
}

/** Reads one page of entities. */
export async function listEntities<K extends EntityName>(
  services: Services,
  name: K,
  query: Query,
  { conditions = [], symbols, filtersShown }: Selection = {},
): Promise<Page<Detail<K>>> {
  const { entities, definitions } = services;
  const entity = definitions[name];
  const all = filtersShown ? shownFilterFieldsOf(name) : filterFieldsOf(name);
  const fields = symbols ? Object.fromEntries(Object.entries(all).filter(([name]) => symbols.includes(name))) : all;
  const listed = (await entity.definition.listed?.(services as never)) ?? [];
  const page = await entities.list({
    ...{ table: name, fields, query, conditions: [...conditions, ...listed] },
    longColumns: entity.longColumns,
  });
  return { ...page, batches: detailBatches<Detail<K>>(services, entity, page.batches) };
}

async function* detailBatches<Shown>(
  services: Services,
  entity: Entity,
  batches: Page<Record<string, unknown>>['batches'],
): AsyncGenerator<readonly Shown[]> {
  const { entities } = services;
  for await (const rows of batches) {
    for (const part of await splitBySets(entities, entity, rows)) {
      const states = await decodeRows(entities, entity, part);
      const sizes = await entity.definition.derivedSizes?.(services as never, states);
      const few = sizes ? partsOf(states, ({ id }) => sizes.get(id) ?? new Map()) : [states];
      for (const some of few) yield (await detailsOf(services, entity, some)) as Shown[];
    }
  }
}
