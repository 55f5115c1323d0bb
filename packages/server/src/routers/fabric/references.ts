import type { EntityRef } from '@edge-controller/shared-types';
import type { Readers } from '../../crud/dependencies.ts';
import { readRefs } from '../../crud/read-refs.ts';
import type { EntityName } from '../../storage/entity-store/tables.ts';

/** A reference to something at `/<entity>/<id>`. */
export function referenceTo(entity: string, id: string, name?: string): EntityRef {
  const ref = { entity, id, _links: { self: { href: `./${entity}/${id}` } } };
  return name === undefined ? ref : { ...ref, name };
}

/** The names of entities by their ids. An entity that was deleted meanwhile has none. */
export async function readNames(
  readers: Readers,
  name: EntityName,
  ids: readonly string[],
): Promise<(id: string) => string | undefined> {
  const refs = await readRefs(readers, name, ids);
  return (id) => refs.get(id)?.name;
}
