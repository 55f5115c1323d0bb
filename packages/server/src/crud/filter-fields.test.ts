import { expect, it } from 'vitest';
import { z } from 'zod';
import { entity } from '../../../shared-types/src/entity.ts';
import { attributes, references, required, serverSet } from '../../../shared-types/src/field.ts';
import type { EntityName } from '../storage/entity-store/tables.ts';
import { filterFieldsOf, shownFilterFieldsOf } from './filter-fields.ts';

const gates = entity({
  noun: 'filterGate',
  collection: 'gates',
  fields: {
    color: required(z.string(), 'color'),
    secret: serverSet(z.string(), 'none', '', 'secret'),
    owners: references('identities', 'owners'),
    roleAttributes: attributes('always'),
  },
});
const name = 'gates' as EntityName;

it('callers who may not read everything filter by what they see, and not by fields of other entities', () => {
  const all = filterFieldsOf(name, gates);
  const shown = shownFilterFieldsOf(name, gates);
  expect(Object.keys(all).filter((symbol) => !(symbol in shown))).toEqual(['secret']);
  expect(all.owners).toHaveProperty('to');
  expect(shown.owners).toEqual({ type: 'set', set: { table: 'gates_owners', owner: 'ownerId', value: 'value' } });
  expect([shown.color, shown.roleAttributes]).toEqual([all.color, all.roleAttributes]);
});
