import { isEdgeApiError } from '@edge-controller/sdk';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { LiveSwitch } from '../../live/live-switch.tsx';
import { useIsActive } from '../../live/use-is-active.ts';
import { edge } from '../../session/edge.ts';
import { Button } from '../../ui/button.tsx';
import { QueryPart } from '../../ui/query-part.tsx';
import { bothOf } from './audit-filter.ts';
import { AuditFilterForm } from './audit-filter-form.tsx';
import { Entries } from './entries.tsx';
import { ExportButton } from './export-button.tsx';
import './audit-log.css';
import { PageHeading } from '../../ui/page-heading.tsx';

/** Milliseconds between two questions of a page that follows the log. */
const pollTime = 3_000;
const pageSize = 50;
/** Older pages that the page finds its way back from. */
const maxPages = 1_000;

/** Who did what. */
export function AuditLogPage() {
  const { filter = '' } = useSearch({ from: '/audit-log' });
  // Another filter begins at its newest entry, with a form of its own.
  return <AuditLog key={filter} expression={filter} />;
}

function AuditLog({ expression }: { readonly expression: string }) {
  const navigate = useNavigate({ from: '/audit-log' });
  /** The sequences before which the pages end, that of the shown one last. Empty: the newest page. */
  const [befores, setBefores] = useState<readonly number[]>([]);
  const [isPaused, setIsPaused] = useState(true);
  const isActive = useIsActive();
  const before = befores.at(-1);
  const isNewest = before === undefined;
  const query = useQuery({
    queryKey: ['auditLog', 'page', expression, before ?? null],
    queryFn: ({ signal }) => readPage(expression, before, signal),
    refetchInterval: isNewest && isActive && !isPaused && pollTime,
    placeholderData: (shown) => shown,
  });
  const last = query.data?.at(-1)?.sequence;
  const isWrongFilter = isEdgeApiError(query.error) && query.error.status === 400;

  return (
    <>
      <div className="row spread">
        <PageHeading title="Audit log" />
        {isNewest && <LiveSwitch isPaused={isPaused} isActive={isActive} start="Follow" onChange={setIsPaused} />}
      </div>
      <AuditFilterForm
        expression={expression}
        error={isWrongFilter ? query.error : null}
        onFilter={(next) => void navigate({ search: next === '' ? {} : { filter: next } })}
      >
        <ExportButton expression={expression} />
      </AuditFilterForm>
      {!isWrongFilter && (
        <QueryPart query={query} what="the audit log">
          {(entries) => (
            <>
              <Entries entries={entries} />
              <div className="row">
                <Button isDisabled={isNewest} onPress={() => setBefores([])}>
                  Newest
                </Button>
                <Button isDisabled={isNewest} onPress={() => setBefores(befores.slice(0, -1))}>
                  Newer
                </Button>
                <Button
                  isDisabled={last === undefined || entries.length < pageSize || befores.length >= maxPages}
                  onPress={() => last !== undefined && setBefores([...befores, last])}
                >
                  Older
                </Button>
              </div>
            </>
          )}
        </QueryPart>
      )}
    </>
  );
}

/** A page that ends before a sequence, the newest entry first. Entries that come meanwhile do not move it. */
async function readPage(expression: string, before: number | undefined, signal: AbortSignal) {
  const filter = before === undefined ? expression : bothOf(expression, `sequence < ${before}`);
  const query = { ...(filter !== '' && { filter }), sort: 'sequence desc', limit: pageSize };
  return (await edge.management.auditLog.list(query, { signal })).data;
}
