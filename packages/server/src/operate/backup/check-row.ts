import { definitions } from '../../entities/index.ts';
import type { StoredRow, TableShape } from '../../storage/entity-store/table-shape.ts';

/** What the description of an entity says of a column, beyond its type. */
type Kind = 'boolean' | 'json';

const kinds = new Map<string, ReadonlyMap<string, Kind>>(
  Object.values(definitions).map(({ name, columns }) => [
    name,
    new Map([
      ['tags', 'json'] as const,
      ...columns.flatMap(({ name: column, codec }): [string, Kind][] => {
        if (codec.isJson) return [[column, 'json']];
        return codec.type === 'boolean' ? [[column, 'boolean']] : [];
      }),
    ]),
  ]),
);

/**
 * Says what is wrong with a row of a table: its columns, their types, and what an entity has in them. `null`: nothing.
 *
 * @param isCurrent whether the schema is the one that the entities describe
 */
export function faultOf(table: TableShape, row: StoredRow, isCurrent: boolean): string | null {
  const unknown = Object.keys(row).find((name) => !table.columns.some((column) => column.name === name));
  if (unknown !== undefined) return `there is no column ${unknown}`;
  const kindsOfTable = isCurrent ? kinds.get(table.name) : undefined;
  for (const column of table.columns) {
    const value = row[column.name];
    if (value === undefined) return `the column ${column.name} is missing`;
    if (value === null) {
      if (!column.canBeNull) return `the column ${column.name} must have a value`;
      continue;
    }
    const isRight = column.type === 'text' ? typeof value === 'string' : isNumber(value, column.type);
    if (!isRight) return `the column ${column.name} must have the type ${column.type}`;
    const kind = kindsOfTable?.get(column.name);
    if (kind === 'boolean' && value !== 0 && value !== 1) return `the column ${column.name} must be 0 or 1`;
    if (kind === 'json' && !isJson(String(value))) return `the column ${column.name} must have JSON`;
  }
  return null;
}

function isNumber(value: unknown, type: 'integer' | 'double precision'): boolean {
  return type === 'integer' ? Number.isSafeInteger(value) : typeof value === 'number';
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
