import type { Row } from '@edge-controller/operation-tables';
import { isRow } from '@edge-controller/operation-tables';
import type { AuditEntryDetail } from '@edge-controller/sdk';
import { titleOf } from '../../api/titles.ts';
import { PlainTable } from '../../ui/plain-table.tsx';

/** What belongs to an act: the values before and after, and everything else. */
export function EntryDetails({ entry }: { readonly entry: AuditEntryDetail }) {
  const { before, after, ...others } = entry.details;
  return (
    <div className="entry-details">
      {(isRow(before) || isRow(after)) && (
        <Difference before={isRow(before) ? before : null} after={isRow(after) ? after : null} />
      )}
      <dl>
        {Object.entries({ ...others, ...identifying(entry) }).map(([name, value]) => (
          <div key={name}>
            <dt>{titleOf(name)}</dt>
            <dd>
              <Value value={value} />
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function identifying({ event, sequence, entityId, requestId, hash }: AuditEntryDetail) {
  return { event, sequence, ...(entityId && { entityId }), ...(requestId && { requestId }), hash };
}

interface DifferenceProps {
  /** `null`: it was created. */
  readonly before: Row | null;
  /** `null`: it was deleted. */
  readonly after: Row | null;
}

function Difference({ before, after }: DifferenceProps) {
  const names = Object.keys({ ...before, ...after });
  const columns = ['Field', ...(before ? ['Before'] : []), ...(after ? ['After'] : [])];
  return (
    <PlainTable label="Difference" columns={columns}>
      {names.map((name) => (
        <tr key={name}>
          <th scope="row">{titleOf(name)}</th>
          {before && (
            <td className="before">
              <Value value={before[name]} />
            </td>
          )}
          {after && (
            <td className="after">
              <Value value={after[name]} />
            </td>
          )}
        </tr>
      ))}
    </PlainTable>
  );
}

function Value({ value }: { readonly value: unknown }) {
  if (value === undefined || value === null || value === '') return <span className="soft">–</span>;
  if (typeof value === 'object') return <pre>{JSON.stringify(value, undefined, 2)}</pre>;
  return <span className="value">{String(value)}</span>;
}
