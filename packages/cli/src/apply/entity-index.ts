import type { Row } from '@edge-controller/operation-tables';
import { isRow } from '@edge-controller/operation-tables';
import type { NodeEdgeClient } from '@edge-controller/sdk/node';
import { filter } from '@edge-controller/sdk/node';
import { callOf } from '../api/call-operation.ts';
import { listRows } from '../api/list-rows.ts';

/** Names of one request: their filter stands in the URL. */
const maxNames = 100;
const maxCharacters = 4_000;

/** The entities of the controller that somebody has asked for, by resource and by name or id. */
export class EntityIndex {
  readonly #edge: NodeEdgeClient;
  readonly #byName = new Map<string, Row>();
  readonly #byId = new Map<string, Row>();

  constructor(edge: NodeEdgeClient) {
    this.#edge = edge;
  }

  /** Reads the entities with these names or ids, in few requests. */
  async read(resource: string, names: Iterable<string>): Promise<void> {
    for (const batch of batchesOf(new Set(names))) {
      await this.readAll(resource, filter`name in ${batch} or id in ${batch}`);
    }
  }

  /** Reads all entities that a filter selects. */
  async readAll(resource: string, condition?: string): Promise<Row[]> {
    const list = callOf(this.#edge, 'management', resource, 'list');
    const { rows } = await listRows(this.#edge, list, { filter: condition, limit: 'all' });
    const entities = rows.filter(isRow);
    for (const entity of entities) this.add(resource, entity);
    return entities;
  }

  add(resource: string, entity: Row): void {
    this.#byName.set(keyOf(resource, entity.name), entity);
    this.#byId.set(keyOf(resource, entity.id), entity);
  }

  named(resource: string, name: string): Row | undefined {
    return this.#byName.get(keyOf(resource, name));
  }

  withId(resource: string, id: string): Row | undefined {
    return this.#byId.get(keyOf(resource, id));
  }
}

const keyOf = (resource: string, value: unknown) => JSON.stringify([resource, value]);

function batchesOf(names: Iterable<string>): string[][] {
  const batches: string[][] = [];
  let length = 0;
  for (const name of names) {
    const last = batches.at(-1);
    length += encodeURIComponent(name).length;
    if (last === undefined || last.length === maxNames || length > maxCharacters) {
      batches.push([name]);
      length = encodeURIComponent(name).length;
    } else {
      last.push(name);
    }
  }
  return batches;
}
