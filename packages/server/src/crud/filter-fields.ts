import type { AnyContract, Field } from '@edge-controller/shared-types';
import { contracts } from '@edge-controller/shared-types';
import type { FilterField, FilterFields, ValueType } from '../core/filter/page.ts';
import type { EntityName } from '../storage/entity-store/tables.ts';
import { codecOf, isColumn, isSet, memberSchema, setTable } from './codec.ts';

const baseFields: FilterFields = {
  id: { column: 'id', type: 'string' },
  createdAt: { column: 'createdAt', type: 'datetime' },
  updatedAt: { column: 'updatedAt', type: 'datetime' },
  tags: { column: 'tags', type: 'tags' },
  isSystem: { column: null, type: 'boolean' },
};

/** What every entity has, as a symbol through a reference names it. */
const baseTypes = new Map<string, ValueType>([
  ['id', 'string'],
  ['createdAt', 'datetime'],
  ['updatedAt', 'datetime'],
]);

const made = new WeakMap<AnyContract, FilterFields>();

/** The filter fields of an entity: its own, the members of its groups, the fields of the entities that it refers to. */
export function filterFieldsOf(name: EntityName, contract: AnyContract = contracts[name]): FilterFields {
  const known = made.get(contract);
  if (known) return known;
  const own = Object.entries(contract.fields).flatMap(([fieldName, field]) =>
    field.filter.map((symbol) => [symbol, filterField({ name, fieldName, field, symbol })]),
  );
  const fields: FilterFields = { ...baseFields, ...Object.fromEntries(own) };
  made.set(contract, fields);
  return fields;
}

/**
 * The filter fields for callers who may not read everything: those of values that they see. A sub-query would let them ask for
 * other entities, so no set has one.
 */
export function shownFilterFieldsOf(name: EntityName, contract: AnyContract = contracts[name]): FilterFields {
  const hidden = Object.values(contract.fields).flatMap(({ detail, filter }) => (detail === 'none' ? filter : []));
  const shown = Object.entries(filterFieldsOf(name, contract)).filter(([symbol]) => !hidden.includes(symbol));
  return Object.fromEntries(
    shown.map(([symbol, field]) => [symbol, field.type === 'set' ? { type: field.type, set: field.set } : field]),
  );
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
  const type = target ? codecOf(target.schema).type : baseTypes.get(column);
  if (type === undefined) throw new Error(`'${symbol}' names no field of ${to}`);
  return { type, column, through: { column: fieldName, table: String(to) } };
}
