import { textOf } from '@edge-controller/operation-tables';
import type { AuditEntryDetail } from '@edge-controller/sdk';
import { Link } from '@tanstack/react-router';
import { useId, useState } from 'react';
import type { IdentityNames } from '../../api/identity-names.ts';
import { titleOf } from '../../api/titles.ts';
import { Button } from '../../ui/button.tsx';
import { IdentityLink } from '../../ui/identity-link.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { EntryDetails } from './entry-details.tsx';
import { eventLabel } from './event-labels.ts';

export const entryColumns = ['Time', 'Event', 'By', 'On', 'Address', 'Details'];

interface EntryRowProps {
  readonly entry: AuditEntryDetail;
  readonly names: IdentityNames;
  /** The list that has the entity. */
  readonly resource: string | undefined;
}

/** An entry, which opens to what belongs to it. */
export function EntryRow({ entry, names, resource }: EntryRowProps) {
  const [isOpen, setIsOpen] = useState(false);
  const details = useId();
  const { sequence, createdAt, event, outcome, identityId, ipAddress } = entry;
  const { reason, code, check } = entry.details;
  const cause = textOf(reason ?? code ?? check);
  return (
    <>
      <tr>
        <td>
          <Timestamp at={createdAt} />
        </td>
        <th scope="row">
          <span className={outcome === 'failure' ? 'badge bad' : ''}>{eventLabel(event)}</span>
          {cause && <div className="soft cause">{cause}</div>}
        </th>
        <td>
          {identityId ? <IdentityLink id={identityId} name={names.get(identityId)} /> : <span className="soft">–</span>}
        </td>
        <td>
          <Acted entry={entry} names={names} resource={resource} />
        </td>
        <td>{ipAddress}</td>
        <td>
          <Button
            kind="quiet"
            aria-label={`${isOpen ? 'Close' : 'Open'} entry ${sequence}`}
            aria-expanded={isOpen}
            aria-controls={details}
            onPress={() => setIsOpen(!isOpen)}
          >
            {isOpen ? 'Close' : 'Open'}
          </Button>
        </td>
      </tr>
      <tr id={details} hidden={!isOpen}>
        <td colSpan={entryColumns.length}>{isOpen && <EntryDetails entry={entry} />}</td>
      </tr>
    </>
  );
}

/** What was acted on, by its name where the entry has it. */
function Acted({ entry: { entityType, entityId, event, details }, names, resource }: EntryRowProps) {
  if (entityType === null || entityId === null) return <span className="soft">–</span>;
  const name = nameIn(details.after) ?? nameIn(details.before) ?? names.get(entityId);
  const text = name === undefined ? titleOf(entityType) : `${titleOf(entityType)} ${name}`;
  if (resource === undefined || event === 'entity.deleted') return <span title={entityId}>{text}</span>;
  return (
    <Link to="/entities/$resource/$id" params={{ resource, id: entityId }} title={entityId}>
      {text}
    </Link>
  );
}

function nameIn(state: unknown): string | undefined {
  const { name } = (state ?? {}) as { readonly name?: unknown };
  return typeof name === 'string' ? name : undefined;
}
