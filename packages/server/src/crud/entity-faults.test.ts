import type { AnyContract } from '@edge-controller/shared-types';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { assignment } from '../../../shared-types/src/assignment.ts';
import { entity } from '../../../shared-types/src/entity.ts';
import { reference, references, required, roles, semantic } from '../../../shared-types/src/field.ts';
import {
  assigned,
  entityOf as linkTo,
  namedIn,
  selectedBy,
  selectedWith,
  selects,
} from '../../../shared-types/src/relation.ts';
import { definitions } from '../entities/index.ts';
import type { EntityName } from '../entity-store/tables.ts';
import { entityOf } from './define-entity.ts';
import type { Entities, Entity } from './entity.ts';
import { entityFaults } from './entity-faults.ts';

type Parts = Partial<Pick<AnyContract, 'fields' | 'relations' | 'actions'>>;

/** The faults of an entity that no types have seen. */
function faultsOf(parts: Parts, options?: Entity['options']): string[] {
  const given = { noun: 'faultyDoor', collection: 'doors', fields: {}, ...parts };
  const contract = entity(given as { noun: string; collection: string; fields: Record<never, never> });
  const doors = entityOf('doors' as EntityName, contract as AnyContract, options && { fields: options });
  return entityFaults({ ...definitions, doors } as Entities);
}

const caKey = { members: { identityId: 'identities', caId: 'cas' }, value: 'caId' } as const;

it('the entities of the controller have none', () => {
  expect(entityFaults(definitions)).toEqual([]);
});

it.each<[string, Parts, Entity['options']?]>([
  [
    "the field doors.ownerId leads to 'nowhere', which is none of the contracts",
    { fields: { ownerId: reference('nowhere') } },
  ],
  ['the field doors.owner is a reference: its name must end with Id', { fields: { owner: reference('identities') } }],
  [
    "the field doors.caRoles selects 'cas', which have no attributes",
    { fields: { semantic: required(semantic), caRoles: roles('cas', { semantic: 'semantic' }) } },
  ],
  [
    "the field doors.r has the semantic 'semantics', which is no field",
    { fields: { r: roles('identities', { semantic: 'semantics' }) } },
  ],
  [
    "the field doors.name is unique with 'owner', which is no field",
    { fields: { name: { ...required(z.string()), unique: { with: 'owner' } } } },
  ],
  ["the definition of doors has options for 'nmae', which is no field", {}, { nmae: { affectsSessions: true } }],
  ["the relation doors.x needs the field 'owner' of 'doors'", { relations: { x: linkTo('owner') } }],
  ["the relation doors.x needs the field 'users' of 'doors'", { relations: { x: namedIn('users') } }],
  ["the relation doors.x needs the field 'roles' of 'doors'", { relations: { x: selects('roles') } }],
  ["the relation doors.x needs the field 'roles' of 'policies'", { relations: { x: selectedBy('policies', 'roles') } }],
  ["the relation doors.x needs the field 'b' of 'cas'", { relations: { x: selectedWith('cas', 'name', 'b') } }],
  [
    "the relation doors.the-users and an action have the name 'theUsers'",
    {
      fields: { users: references('identities') },
      relations: { 'the-users': namedIn('users') },
      actions: { theUsers: { method: 'GET', path: '/', access: 'anyone', result: 'empty', summary: '' } },
    },
  ],
  [
    "the relation doors.keys assigns 'keyrings', which is none of the contracts",
    {
      relations: { keys: assigned(assignment({ noun: 'doorKey', members: { ringId: 'keyrings' }, value: 'ringId' })) },
    },
  ],
  [
    "the relation doors.keys needs the field 'colorId' of 'cas'",
    { relations: { keys: assigned(assignment({ noun: 'doorCa', ...caKey, onePer: 'colorId' })) } },
  ],
])('%s', (fault, parts, options) => {
  expect(faultsOf(parts, options)).toEqual([fault]);
});

it('the filter symbols of doors name no field', () => {
  const field = reference('identities', 'ownerId', 'owner.nam');
  const contract = entity({ noun: 'symbolDoor', collection: 'doors', fields: { ownerId: field } });
  const doors = entityOf('doors' as EntityName, contract);
  expect(entityFaults({ ...definitions, doors } as Entities)).toEqual([
    "the filter symbols of doors: 'owner.nam' names no field of identities",
  ]);
});
