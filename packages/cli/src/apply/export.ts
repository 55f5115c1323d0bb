import type { Field, Row } from '@edge-controller/operation-tables';
import { isRow } from '@edge-controller/operation-tables';
import type { NodeEdgeClient } from '@edge-controller/sdk/node';
import { EntityIndex } from './entity-index.ts';
import type { Kind } from './kinds.ts';
import { directMembers } from './kinds.ts';
import { withNames } from './named-references.ts';

interface ExportOptions {
  readonly kinds: ReadonlyMap<string, Kind>;
  /** Only these; empty: all. */
  readonly resources: readonly string[];
  /** A filter of the entities: `tags.network = "prod"`. */
  readonly condition?: string;
}

/** The entities of the controller as a network file, with names in place of ids. What the controller itself has made is left out. */
export async function exportNetwork(edge: NodeEdgeClient, options: ExportOptions): Promise<Record<string, Row[]>> {
  const { kinds, resources, condition } = options;
  const index = new EntityIndex(edge);
  const chosen = [...kinds.values()].filter(({ resource }) => resources.length === 0 || resources.includes(resource));
  const found = new Map<Kind, Row[]>();
  for (const kind of chosen) found.set(kind, await index.readAll(kind.resource, condition));
  const referred = new Set(chosen.flatMap(({ uses }) => uses));
  // A filter or a choice may leave out what the others refer to.
  for (const resource of referred) {
    if (condition !== undefined || !chosen.some((kind) => kind.resource === resource)) await index.readAll(resource);
  }
  return Object.fromEntries(
    [...found].flatMap(([kind, rows]) => {
      const entities = rows.filter(({ isSystem }) => isSystem !== true).map((row) => exported(row, kind, index));
      return entities.length === 0 ? [] : [[kind.resource, entities]];
    }),
  );
}

function exported(row: Row, { create }: Kind, index: EntityIndex): Row {
  const members = directMembers(create).flatMap((field) => {
    const value = memberValue(row, field);
    return value === undefined || (isEmpty(value) && !field.isRequired) ? [] : [[field.name, value]];
  });
  return withNames(Object.fromEntries(members), create, index);
}

function memberValue(row: Row, { name, isInput, isRequired, values }: Field): unknown {
  const value = row[name];
  if (!isInput) return value;
  // What is not stored may still be required to create it again.
  const id = isRow(value) ? value.id : value;
  return isRequired && values?.includes(String(id)) ? id : undefined;
}

function isEmpty(value: unknown): boolean {
  return value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0);
}
