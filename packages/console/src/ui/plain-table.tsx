import type { ReactNode } from 'react';
import './plain-table.css';

interface PlainTableProps {
  readonly label: string;
  readonly columns: readonly string[];
  /** `<tr>` elements. */
  readonly children: ReactNode;
}

/** A table that scrolls inside, for rows without selection. */
export function PlainTable({ label, columns, children }: PlainTableProps) {
  return (
    <div className="table-scroll">
      <table className="plain-table" aria-label={label}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
