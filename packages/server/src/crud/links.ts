import type { AnyContract, EntityRef, Links, Relation } from '@edge-controller/shared-types';
import { contracts } from '@edge-controller/shared-types';
import type { EntityName } from '../storage/entity-store/tables.ts';

/** An entity with the fields that its links need. */
interface Linked {
  readonly id: string;
  readonly name?: string;
}

type NamedLink = readonly [name: string, relation: Relation];

const namedLinks = new Map<AnyContract, readonly NamedLink[]>();

/** The links of an entity, relative to the root of the API. */
export function linksOf(contract: AnyContract, entity: Linked): Links {
  const fields = entity as Linked & Readonly<Record<string, unknown>>;
  const self = `./${contract.collection}/${entity.id}`;
  const links: Links = {};
  for (const [name, relation] of namedLinksOf(contract)) {
    const condition = conditionOf(relation);
    // A row has 0 or 1.
    if (condition && Boolean(fields[condition.field]) !== condition.is) continue;
    if (relation.kind !== 'entityOf') links[name] = { href: `${self}/${name}` };
    else links[name] = { href: `./${collectionOf(contract, relation.field)}/${fields[relation.field]}` };
  }
  links.self = { href: self };
  return links;
}

function namedLinksOf(contract: AnyContract): readonly NamedLink[] {
  let known = namedLinks.get(contract);
  if (known) return known;
  known = Object.entries(contract.relations).filter(([, relation]) => !('link' in relation) || relation.link !== false);
  namedLinks.set(contract, known);
  return known;
}

function conditionOf(relation: Relation) {
  return relation.kind === 'link' ? relation.while : undefined;
}

function collectionOf({ fields }: AnyContract, reference: string): string {
  return contracts[fields[reference]?.to as EntityName].collection;
}

/** The columns besides `id` and `name` that the links of an entity need. */
export function linkColumns(contract: AnyContract): string[] {
  return namedLinksOf(contract).flatMap(([, relation]) => {
    if (relation.kind === 'entityOf') return [relation.field];
    return conditionOf(relation)?.field ?? [];
  });
}

/** A reference to an entity. `entity` has its id, its name, and the columns of `linkColumns`. */
export function entityRefOf(contract: AnyContract, entity: Linked): EntityRef {
  const { id, name } = entity;
  const ref = { _links: linksOf(contract, entity), entity: contract.collection, id };
  return name === undefined ? ref : { ...ref, name };
}
