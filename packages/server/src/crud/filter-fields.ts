import type { Field } from '@edge-controller/shared-types';
import { contracts } from '@edge-controller/shared-types';
import type { EntityName } from '../entity-store/tables.ts';
import type { FilterField, FilterFields } from '../lib/filter/page.ts';
import { codecOf, isColumn, isSet, memberSchema, setTable } from './codec.ts';

const baseFields: FilterFields = {
  id: { column: 'id', type: 'string' },
  createdAt: { column: 'createdAt', type: 'datetime' },
  updatedAt: { column: 'updatedAt', type: 'datetime' },
  tags: { column: 'tags', type: 'tags' },
  isSystem: { column: null, type: 'boolean' },
};

const made = new Map<EntityName, FilterFields>();

/** The filter fields of an entity: its own, the members of its groups, the fields of the entities that it refers to. */
export function filterFieldsOf(name: EntityName): FilterFields {
  const known = made.get(name);
  if (known) return known;
  const own = Object.entries<Field>(contracts[name].fields).flatMap(([fieldName, field]) =>
    field.filter.map((symbol) => [symbol, filterField({ name, fieldName, field, symbol })]),
  );
  const fields: FilterFields = { ...baseFields, ...Object.fromEntries(own) };
  made.set(name, fields);
  return fields;
}

interface Described {
  readonly name: EntityName;
  readonly fieldName: string;
  readonly field: Field;
  readonly symbol: string;
}

function filterField({ name, fieldName, field, symbol }: Described): FilterField {
  const { kind, to, schema } = field;
  if (isSet(field)) {
    const set = { table: setTable(name, fieldName), owner: 'ownerId', value: 'value' };
    if (kind !== 'references') return { type: 'set', set };
    return { type: 'set', set, to: { table: String(to), fields: () => filterFieldsOf(to as EntityName) } };
  }
  if (!isColumn(field)) return { type: codecOf(schema).type, column: null };
  const [, ...path] = symbol.split('.');
  const [column] = path;
  if (column === undefined) return { type: codecOf(schema).type, column: fieldName };
  if (kind === 'group') return { type: codecOf(memberSchema(field, path)).type, column: fieldName, path };
  const target: Field | undefined = (contracts[to as EntityName].fields as Record<string, Field>)[column];
  const type = target ? codecOf(target.schema).type : 'string';
  return { type, column, through: { column: fieldName, table: String(to) } };
}
