import type { AnyContract, EntityRef, Links } from '@edge-controller/shared-types';
import { contracts } from '@edge-controller/shared-types';
import type { EntityName } from '../stores/tables.ts';

interface NamedLink {
  readonly name: string;
  /** The reference field that the link follows. `null`: the link leads to a list below the entity. */
  readonly reference: string | null;
}

/** An entity with the fields that its links need. */
interface Linked {
  readonly id: string;
  readonly name?: string;
}

const namedLinks = new Map<AnyContract, readonly NamedLink[]>();

/** The links of an entity, relative to the root of the API. */
export function linksOf(contract: AnyContract, entity: Linked): Links {
  const fields = entity as Linked & Readonly<Record<string, unknown>>;
  const self = `./${contract.collection}/${entity.id}`;
  const links: Links = {};
  for (const { name, reference } of namedLinksOf(contract)) {
    links[name] = { href: reference === null ? `${self}/${name}` : `./${name}/${fields[reference]}` };
  }
  links.self = { href: self };
  return links;
}

function namedLinksOf(contract: AnyContract): readonly NamedLink[] {
  let known = namedLinks.get(contract);
  if (known) return known;
  known = contract.links.map((name) => {
    const field = contract.fields[name];
    if (field?.kind !== 'reference') return { name, reference: null };
    return { name: contracts[field.to as EntityName].collection, reference: name };
  });
  namedLinks.set(contract, known);
  return known;
}

/** The columns besides `id` and `name` that the links of an entity need. */
export function linkColumns({ links, fields }: AnyContract): string[] {
  return links.filter((name) => fields[name]?.kind === 'reference');
}

/** A reference to an entity. `entity` has its id, its name, and the columns of `linkColumns`. */
export function entityRefOf(contract: AnyContract, entity: Linked): EntityRef {
  const { id, name } = entity;
  const ref = { _links: linksOf(contract, entity), entity: contract.collection, id };
  return name === undefined ? ref : { ...ref, name };
}
