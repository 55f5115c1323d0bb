import { textOf } from '@edge-controller/operation-tables';
import type { AuditEntryDetail } from '@edge-controller/sdk';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { IdentityNames } from '../../api/identity-names.ts';
import { concernedIdentity, useIdentityNames } from '../../api/identity-names.ts';
import { useNow } from '../../live/use-now.ts';
import { edge } from '../../session/edge.ts';
import { IdentityLink } from '../../ui/identity-link.tsx';
import { QueryPart } from '../../ui/query-part.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { eventLabel } from '../audit-log/event-labels.ts';
import type { PartProps } from './part-props.ts';

const filter = 'outcome = "failure"';
const shownRefusals = 8;

/** What the controller has refused lately, and why. */
export function RefusalsPart({ interval }: PartProps) {
  const now = useNow(15_000);
  const refusals = useQuery({
    queryKey: ['list', 'management', 'auditLog', 'refusals'],
    queryFn: async ({ signal }) =>
      (await edge.management.auditLog.list({ filter, limit: shownRefusals }, { signal })).data,
    refetchInterval: interval,
  });
  const names = useIdentityNames((refusals.data ?? []).map(concernedIdentity));
  return (
    <section className="card" aria-labelledby="refusals-title">
      <div className="row spread">
        <h2 id="refusals-title">Latest refusals</h2>
        <Link to="/audit-log" search={{ filter }}>
          All refusals
        </Link>
      </div>
      <QueryPart query={refusals} what="the audit log">
        {(entries) =>
          entries.length === 0 ? (
            <p className="soft">Nothing was refused.</p>
          ) : (
            <ul className="lines">
              {entries.map((entry) => (
                <li key={entry.sequence}>
                  <Refusal entry={entry} names={names} now={now} />
                </li>
              ))}
            </ul>
          )
        }
      </QueryPart>
    </section>
  );
}

interface RefusalProps {
  readonly entry: AuditEntryDetail;
  readonly names: IdentityNames;
  readonly now: number;
}

function Refusal({ entry, names, now }: RefusalProps) {
  const { createdAt, event, ipAddress, details } = entry;
  const identityId = concernedIdentity(entry);
  return (
    <>
      <span className="row spread">
        <strong>{eventLabel(event)}</strong>
        <span className="soft">
          <Timestamp at={createdAt} now={now} />
        </span>
      </span>
      <span>
        {identityId ? <IdentityLink id={identityId} name={names.get(identityId)} /> : 'Unknown identity'}
        {`: ${textOf(details.reason ?? details.code ?? details.check)}`}
      </span>
      {ipAddress && <span className="soft">From {ipAddress}</span>}
    </>
  );
}
