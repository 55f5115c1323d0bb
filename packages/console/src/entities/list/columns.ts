import type { OperationEntry, Row } from '@edge-controller/operation-tables';
import { valueAt } from '@edge-controller/operation-tables';
import type { RowPage } from '../../api/rows.ts';

/** Columns that a list shows until somebody chooses others, without the one that names the row and without the time of creation. */
const columnsAtFirst = 5;

/** The columns of a list, the one that names the row first. */
export interface ListColumns {
  readonly available: readonly string[];
  readonly atFirst: readonly string[];
}

/** What a list can show: the columns of its table, and the symbols whose values its rows have. */
export function columnsOf(entry: OperationEntry, { rows, symbols }: RowPage): ListColumns {
  const described = entry.columns ?? Object.keys(rows[0] ?? { id: '' });
  const header = ['name', 'id', 'sequence'].find((name) => described.includes(name)) ?? described[0] ?? 'id';
  const others = described.filter((name) => name !== header && name !== 'id');
  const times = ['createdAt', 'updatedAt'].filter((name) => symbols.includes(name) && !described.includes(name));
  const isNamed = header === 'name';
  // What has no name is distinguished by its time.
  const body = isNamed ? [...others, ...times] : [...times.slice(0, 1), ...others, ...times.slice(1)];
  const known = [header, ...body, ...(described.includes('id') && header !== 'id' ? ['id'] : [])];
  const more = symbols.filter((symbol) => !isShown(symbol, known) && rows.some((row) => isPlain(valueAt(row, symbol))));
  return {
    available: [...known, ...more],
    atFirst: isNamed
      ? [header, ...others.slice(0, columnsAtFirst), ...times.slice(0, 1)]
      : [header, ...body.slice(0, columnsAtFirst + 1)],
  };
}

/** `type` is shown when `type.name` is. */
function isShown(symbol: string, columns: readonly string[]): boolean {
  return columns.some((name) => name === symbol || name.startsWith(`${symbol}.`));
}

function isPlain(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

/** Whether the controller can sort by a column: one value of a symbol. */
export function isSortable(
  name: string,
  { rows, symbols }: RowPage,
  fields: ReadonlyMap<string, { readonly isList?: true }>,
): boolean {
  const isSet = fields.get(name)?.isList ?? rows.some((row) => Array.isArray(valueAt(row, name)));
  return symbols.includes(name) && !isSet && name !== 'tags';
}

/** What identifies a row of a list. */
export function keyOf(row: Row, index: number): string {
  const key = row.id ?? row.sequence ?? row.name ?? index;
  return String(key);
}
