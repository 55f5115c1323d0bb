import type { AuditEntryDetail } from '@edge-controller/sdk';
import { useIdentityNames } from '../../api/identity-names.ts';
import { useTable } from '../../api/tables.ts';
import { PlainTable } from '../../ui/plain-table.tsx';
import { resourceOfType } from './entity-resources.ts';
import { EntryRow, entryColumns } from './entry-row.tsx';

/** Who acted, and the identity that was acted on. */
function identitiesOf({ identityId, entityType, entityId }: AuditEntryDetail): readonly (string | null)[] {
  return [identityId, entityType === 'identity' ? entityId : null];
}

/** One page of the log. */
export function Entries({ entries }: { readonly entries: readonly AuditEntryDetail[] }) {
  const names = useIdentityNames(entries.flatMap(identitiesOf));
  const table = useTable('management');
  if (entries.length === 0) return <p className="soft">No entry matches.</p>;
  return (
    <PlainTable label="Entries" columns={entryColumns}>
      {entries.map((entry) => (
        <EntryRow key={entry.sequence} entry={entry} names={names} resource={resourceOfType(table, entry.entityType)} />
      ))}
    </PlainTable>
  );
}
