import type { Field, Row } from '@edge-controller/operation-tables';
import { textOf, valueAt } from '@edge-controller/operation-tables';
import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import { Checkbox } from '../../ui/checkbox.tsx';
import { ListValue } from './value.tsx';

interface ListRowProps {
  readonly resource: string;
  readonly row: Row;
  readonly rowKey: string;
  /** The first one names the row. */
  readonly columns: readonly string[];
  readonly fields: ReadonlyMap<string, Field>;
  readonly hasPages: boolean;
  /** `null`: it cannot be selected. */
  readonly isSelected: boolean | null;
  readonly onSelect: (rows: readonly Row[], isSelected: boolean) => void;
}

/** A row of a list. */
export const ListRow = memo((props: ListRowProps) => {
  const { resource, row, rowKey, columns, fields, hasPages, isSelected, onSelect } = props;
  const [header = 'id', ...others] = columns;
  const name = textOf(valueAt(row, header)) || '(no name)';
  return (
    <tr className={isSelected ? 'selected' : undefined}>
      {isSelected !== null && (
        <td className="selection">
          <Checkbox name={`Select ${name}`} isSelected={isSelected} onChange={(isNow) => onSelect([row], isNow)} />
        </td>
      )}
      <th scope="row">
        {hasPages ? (
          <Link to="/entities/$resource/$id" params={{ resource, id: rowKey }} title={name} className="row-link">
            {name}
          </Link>
        ) : (
          <ListValue row={row} column={header} field={fields.get(header)} />
        )}
      </th>
      {others.map((column) => (
        <td key={column}>
          <ListValue row={row} column={column} field={fields.get(column)} />
        </td>
      ))}
    </tr>
  );
});
