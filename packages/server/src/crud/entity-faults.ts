import type { AnyContract, Relation } from '@edge-controller/shared-types';
import { assignedTo, relatedEntities } from '@edge-controller/shared-types';
import type { Entities, Entity } from './entity.ts';
import { filterFieldsOf } from './filter-fields.ts';

type Contracts = Readonly<Record<string, AnyContract>>;

/** Returns the references of contracts and definitions that lead nowhere. The types find most of them, but not all. */
export function entityFaults(entities: Entities): string[] {
  const contracts = Object.fromEntries(Object.values(entities).map(({ name, contract }) => [name, contract]));
  return Object.values(entities).flatMap((entity) => [
    ...fieldFaults(entity, contracts),
    ...relationFaults(entity, contracts),
    ...symbolFaults(entity),
  ]);
}

function fieldFaults({ name, contract: { fields }, options }: Entity, contracts: Contracts): string[] {
  const faults = Object.entries(fields).flatMap(([field, { kind, to, semantic, unique }]) => {
    const place = `the field ${name}.${field}`;
    if (to !== undefined && !contracts[to]) return `${place} leads to '${to}', which is none of the contracts`;
    if (kind === 'reference' && !field.endsWith('Id')) return `${place} is a reference: its name must end with Id`;
    if (kind === 'roles' && !hasAttributes(contracts[String(to)]))
      return `${place} selects '${to}', which have no attributes`;
    if (semantic !== undefined && !fields[semantic])
      return `${place} has the semantic '${semantic}', which is no field`;
    if (typeof unique === 'object' && !fields[unique.with])
      return `${place} is unique with '${unique.with}', which is no field`;
    return [];
  });
  const unknown = Object.keys(options).filter((field) => !fields[field]);
  return [
    ...faults,
    ...unknown.map((field) => `the definition of ${name} has options for '${field}', which is no field`),
  ];
}

function hasAttributes(contract: AnyContract | undefined): boolean {
  return contract !== undefined && Object.values(contract.fields).some(({ kind }) => kind === 'attributes');
}

function relationFaults({ name, contract }: Entity, contracts: Contracts): string[] {
  const unknown = assignedTo(contract).flatMap(({ name: link, assignment: { members } }) =>
    Object.values(members)
      .filter((to) => !contracts[to])
      .map((to) => `the relation ${name}.${link} assigns '${to}', which is none of the contracts`),
  );
  const faults = Object.entries(contract.relations).flatMap(([link, relation]) =>
    partsOf(name, relation)
      .filter(([owner, field]) => !contracts[owner]?.fields[field])
      .map(([owner, field]) => `the relation ${name}.${link} needs the field '${field}' of '${owner}'`),
  );
  if (unknown.length + faults.length > 0) return [...unknown, ...faults];
  return relatedEntities(contracts, name)
    .filter(({ verb }) => contract.actions && verb in contract.actions)
    .map(({ name: link, verb }) => `the relation ${name}.${link} and an action have the name '${verb}'`);
}

/** The fields that a relation of an entity uses, with their entities. */
function partsOf(name: string, relation: Relation): (readonly [entity: string, field: string])[] {
  if (relation.kind === 'link') return relation.while ? [[name, relation.while.field]] : [];
  if (relation.kind === 'naming') return [[relation.entity, relation.field]];
  if (relation.kind === 'selectedBy') return [[relation.policies, relation.field]];
  if (relation.kind === 'assigned') {
    const { members, value, onePer } = relation.assignment;
    return onePer === undefined ? [] : [[String(members[value]), onePer]];
  }
  if (relation.kind !== 'selectedWith') return [[name, relation.field]];
  return [
    [relation.policies, relation.field],
    [relation.policies, relation.others],
  ];
}

function symbolFaults({ name, contract }: Entity): string[] {
  try {
    filterFieldsOf(name, contract);
    return [];
  } catch (error) {
    return [`the filter symbols of ${name}: ${(error as Error).message}`];
  }
}
