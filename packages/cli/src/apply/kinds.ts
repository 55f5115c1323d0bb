import type { Field } from '@edge-controller/operation-tables';
import { loadBody, loadTable } from '@edge-controller/operation-tables';

/** A kind of entities that a network file may have: they have unique names, and are created and patched. */
export interface Kind {
  readonly resource: string;
  readonly create: readonly Field[];
  readonly patch: readonly Field[];
  /** The kinds that it refers to. */
  readonly uses: readonly string[];
}

/** The kinds of network files by resource. Each stands after those that it refers to. */
export async function loadKinds(): Promise<ReadonlyMap<string, Kind>> {
  const table = await loadTable('management');
  const kinds = new Map<string, Kind>();
  const bodies = new Set<string>();
  for (const [resource, { hasNames, verbs }] of Object.entries(table)) {
    const { create, patch } = verbs;
    // Routers of both kinds have two paths.
    if (!hasNames || !create?.body || !patch || !verbs.delete || bodies.has(create.body)) continue;
    bodies.add(create.body);
    const fields = await loadBody(create);
    const uses = fields.flatMap(({ to }) => (to === undefined ? [] : [to]));
    kinds.set(resource, { resource, create: fields, patch: await loadBody(patch), uses: [...new Set(uses)] });
  }
  return ordered(kinds);
}

/** Two kinds may refer to each other. Then one of them has to come first. */
function ordered(kinds: ReadonlyMap<string, Kind>): ReadonlyMap<string, Kind> {
  const done = new Map<string, Kind>();
  const visited = new Set<string>();
  const visit = (resource: string) => {
    const kind = kinds.get(resource);
    if (kind === undefined || visited.has(resource)) return;
    visited.add(resource);
    kind.uses.forEach(visit);
    done.set(resource, kind);
  };
  [...kinds.keys()].forEach(visit);
  return done;
}

/** The members that stand directly in a body. */
export function directMembers(fields: readonly Field[]): Field[] {
  return fields.filter(({ name }) => !name.includes('.'));
}
