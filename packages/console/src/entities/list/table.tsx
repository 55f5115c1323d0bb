import type { Field, Row } from '@edge-controller/operation-tables';
import type { ReactNode } from 'react';
import type { RowPage } from '../../api/rows.ts';
import { Checkbox } from '../../ui/checkbox.tsx';
import { isSortable, keyOf } from './columns.ts';
import { ListRow } from './row.tsx';
import { columnTitle } from './words.ts';

export interface ListTableProps {
  readonly resource: string;
  /** What the table is called. */
  readonly label: string;
  readonly page: RowPage;
  /** The first one names the row. */
  readonly columns: readonly string[];
  readonly fields: ReadonlyMap<string, Field>;
  readonly sort: string | undefined;
  readonly onSort: (sort: string) => void;
  /** Whether an entity has a page of its own. */
  readonly hasPages: boolean;
  /** Keys of the selected rows of this page; `null` when nothing can be selected. */
  readonly selected: ReadonlySet<string> | null;
  readonly onSelect: (rows: readonly Row[], isSelected: boolean) => void;
  /** The rows are those of another page: this one is on its way. */
  readonly isStale: boolean;
  /** What stands there without rows. */
  readonly empty: ReactNode;
}

/**
 * Rows of a list. The table is one of HTML: a grid of React Aria renders each cell several times, and a page of 100 rows would
 * stall for half a second at every change.
 */
export function ListTable(props: ListTableProps) {
  const { resource, label, page, columns, fields, selected, onSelect, hasPages, empty, isStale } = props;
  return (
    <section className={isStale ? 'list-frame stale' : 'list-frame'} aria-label={`Rows of ${label}`}>
      <table className="list-table" aria-label={label} aria-busy={isStale}>
        <thead>
          <tr>
            {selected !== null && (
              <td className="selection">
                <SelectAll {...{ page, selected, onSelect }} />
              </td>
            )}
            {columns.map((name) => (
              <ColumnHeader key={name} name={name} {...props} />
            ))}
          </tr>
        </thead>
        <tbody>
          {page.rows.map((row, index) => {
            const key = keyOf(row, index);
            const isSelected = selected?.has(key) ?? null;
            return (
              <ListRow
                key={key}
                {...{ resource, row, rowKey: key, columns, fields, hasPages, isSelected }}
                onSelect={onSelect}
              />
            );
          })}
        </tbody>
      </table>
      {page.rows.length === 0 && empty}
    </section>
  );
}

function SelectAll({
  page,
  selected,
  onSelect,
}: Pick<ListTableProps, 'page' | 'onSelect'> & { selected: ReadonlySet<string> }) {
  const { rows } = page;
  const isAll = rows.length > 0 && selected.size === rows.length;
  return (
    <Checkbox
      name="Select the rows of this page"
      isSelected={isAll}
      isIndeterminate={selected.size > 0 && !isAll}
      isDisabled={rows.length === 0}
      onChange={() => onSelect(rows, !isAll)}
    />
  );
}

type ColumnHeaderProps = Pick<ListTableProps, 'page' | 'fields' | 'sort' | 'onSort'> & { readonly name: string };

function ColumnHeader({ name, page, fields, sort = '', onSort }: ColumnHeaderProps) {
  if (!isSortable(name, page, fields)) return <th scope="col">{columnTitle(name)}</th>;
  const [column, direction] = sort.split(' ');
  const isSorted = column === name;
  const isDescending = isSorted && direction === 'desc';
  return (
    <th scope="col" {...(isSorted && { 'aria-sort': isDescending ? 'descending' : 'ascending' })}>
      <button
        type="button"
        className="column-title"
        onClick={() => onSort(`${name} ${isSorted && !isDescending ? 'desc' : 'asc'}`)}
      >
        {columnTitle(name)}
        <span aria-hidden="true">{isSorted ? (isDescending ? '▼' : '▲') : '↕'}</span>
      </button>
    </th>
  );
}
