import type { ResourceEntry, Row } from '@edge-controller/operation-tables';

/** What every page of an entity does by itself. */
const commonVerbs: readonly string[] = ['list', 'get', 'create', 'update', 'patch', 'delete'];

export interface EntityVerbs {
  /** What belongs to the entity: rows. */
  readonly lists: readonly string[];
  /** What can be read of the entity beside its fields. */
  readonly details: readonly string[];
  /** What else can be done with it. */
  readonly actions: readonly string[];
}

/** The operations of a resource that take the id of one entity first. */
export function entityVerbs(resource: string, { verbs }: ResourceEntry): EntityVerbs {
  const own = Object.entries(verbs).filter(
    ([verb, { params }]) => !commonVerbs.includes(verb) && params?.[0]?.to === resource,
  );
  const reads = own.filter(([, { method, params }]) => method === 'GET' && params?.length === 1);
  const namesOf = (entries: typeof own) => entries.map(([verb]) => verb);
  const lists = namesOf(reads.filter(([, { result }]) => result === 'list'));
  const details = namesOf(reads.filter(([, { result }]) => result === 'detail'));
  return { lists, details, actions: namesOf(own).filter((verb) => !lists.includes(verb) && !details.includes(verb)) };
}

/** Whether an entity is already what an action makes of it: it is disabled, or it is not. */
export function isDone(verb: string, { disabled }: Row): boolean {
  return (verb === 'disable' && disabled === true) || (verb === 'enable' && disabled === false);
}
