import type { Row } from '@edge-controller/operation-tables';
import { isRow, textOf, valueAt } from '@edge-controller/operation-tables';
import { Link } from '@tanstack/react-router';
import { useTable } from '../../api/tables.ts';
import { titleOf } from '../../api/titles.ts';
import { PlainTable } from '../../ui/plain-table.tsx';
import { resourceOfHref, roleNames } from '../detail/references.ts';
import { EntityValue } from '../detail/value.tsx';
import { isSecretName } from '../form/field-kind.ts';

interface RowsTableProps {
  readonly label: string;
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
}

/** Rows of a list. Those that are entities lead to their pages. */
export function RowsTable({ label, columns, rows }: RowsTableProps) {
  const table = useTable('management');
  const known = columns.filter((column) => !isSecretName(column));
  const shown = known.length === 0 ? ['id'] : known;
  const first = shown.includes('name') ? 'name' : (shown[0] ?? 'id');
  const ordered = [first, ...shown.filter((column) => column !== first)];
  return (
    <PlainTable label={label} columns={ordered.map(titleOf)}>
      {rows.map((row, at) => {
        const resource = resourceOfHref(selfOf(row), table);
        const name = textOf(valueAt(row, first)) || 'No name';
        return (
          <tr key={String(row.id ?? at)}>
            <th scope="row">
              {resource !== null && typeof row.id === 'string' ? (
                <Link to="/entities/$resource/$id" params={{ resource, id: row.id }}>
                  {name}
                </Link>
              ) : (
                <EntityValue value={valueAt(row, first)} />
              )}
            </th>
            {ordered.slice(1).map((column) => (
              <td key={column}>
                <EntityValue value={valueAt(row, column)} labelOf={roleNames(row[`${column}Display`])} />
              </td>
            ))}
          </tr>
        );
      })}
    </PlainTable>
  );
}

function selfOf({ _links: links }: Row): unknown {
  return isRow(links) && isRow(links.self) ? links.self.href : null;
}
