import type { AnyContract, EntityRef, Links } from '@edge-controller/shared-types';
import { contracts } from '@edge-controller/shared-types';
import type { EntityName } from '../entity-store/tables.ts';

interface NamedLink {
  readonly name: string;
  /** The reference field that the link follows. `null`: the link leads to a list below the entity. */
  readonly reference: string | null;
  /** The link is there only while this field has this value. */
  readonly condition: { readonly field: string; readonly is: boolean } | undefined;
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
  for (const { name, reference, condition } of namedLinksOf(contract)) {
    // A row has 0 or 1.
    if (condition && Boolean(fields[condition.field]) !== condition.is) continue;
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
    const condition = contract.linksWhile?.[name];
    if (field?.kind !== 'reference') return { name, reference: null, condition };
    return { name: contracts[field.to as EntityName].collection, reference: name, condition };
  });
  namedLinks.set(contract, known);
  return known;
}

/** The columns besides `id` and `name` that the links of an entity need. */
export function linkColumns({ links, linksWhile = {}, fields }: AnyContract): string[] {
  const conditions = Object.values(linksWhile).map(({ field }) => field);
  return [...links.filter((name) => fields[name]?.kind === 'reference'), ...conditions];
}

/** A reference to an entity. `entity` has its id, its name, and the columns of `linkColumns`. */
export function entityRefOf(contract: AnyContract, entity: Linked): EntityRef {
  const { id, name } = entity;
  const ref = { _links: linksOf(contract, entity), entity: contract.collection, id };
  return name === undefined ? ref : { ...ref, name };
}
