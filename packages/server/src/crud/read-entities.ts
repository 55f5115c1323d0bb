import type { contracts } from '@edge-controller/shared-types';
import type { RawBuilder } from 'kysely';
import type { z } from 'zod';
import { notFound } from '../core/api-error.ts';
import type { Page, Query } from '../core/filter/page.ts';
import { partsOf } from '../core/text/parts-of.ts';
import type { EntityName } from '../storage/entity-store/tables.ts';
import type { Dependencies } from './dependencies.ts';
import { detailsOf } from './details.ts';
import type { Entity } from './entity.ts';
import { filterFieldsOf, shownFilterFieldsOf } from './filter-fields.ts';
import { decodeRows, readStates } from './read.ts';
import { splitBySets } from './split-by-sets.ts';

type Detail<K extends EntityName> = z.output<(typeof contracts)[K]['detail']>;

/** Reads one entity as the wire shows it. */
export async function getEntity<K extends EntityName>(
  dependencies: Dependencies,
  name: K,
  id: string,
): Promise<Detail<K>> {
  const [detail] = await readEntities(dependencies, name, [id]);
  if (!detail) throw notFound(dependencies.definitions[name].contract.noun, id);
  return detail;
}

/** Reads entities as the wire shows them, in any order. Unknown ids are left out. */
export async function readEntities<K extends EntityName>(
  dependencies: Dependencies,
  name: K,
  ids: readonly string[],
): Promise<Detail<K>[]> {
  const entity = dependencies.definitions[name];
  return (await detailsOf(dependencies, entity, await readStates(dependencies.database, entity, ids))) as Detail<K>[];
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
  dependencies: Dependencies,
  name: K,
  query: Query,
  { conditions = [], symbols, filtersShown }: Selection = {},
): Promise<Page<Detail<K>>> {
  const { database, definitions } = dependencies;
  const entity = definitions[name];
  const all = filtersShown ? shownFilterFieldsOf(name) : filterFieldsOf(name);
  const fields = symbols ? Object.fromEntries(Object.entries(all).filter(([name]) => symbols.includes(name))) : all;
  const listed = (await entity.definition.listed?.(dependencies as never)) ?? [];
  const page = await database.list({
    ...{ table: name, fields, query, conditions: [...conditions, ...listed] },
    longColumns: entity.longColumns,
  });
  return { ...page, batches: detailBatches<Detail<K>>(dependencies, entity, page.batches) };
}

async function* detailBatches<Shown>(
  dependencies: Dependencies,
  entity: Entity,
  batches: Page<Record<string, unknown>>['batches'],
): AsyncGenerator<readonly Shown[]> {
  const { database } = dependencies;
  for await (const rows of batches) {
    for (const part of await splitBySets(database, entity, rows)) {
      const states = await decodeRows(database, entity, part);
      const sizes = await entity.definition.derivedSizes?.(dependencies as never, states);
      const few = sizes ? partsOf(states, ({ id }) => sizes.get(id) ?? new Map()) : [states];
      for (const some of few) yield (await detailsOf(dependencies, entity, some)) as Shown[];
    }
  }
}
