import { useSession } from '@edge-controller/sdk/react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { LiveSwitch } from '../../live/live-switch.tsx';
import { useIsActive } from '../../live/use-is-active.ts';
import { useNow } from '../../live/use-now.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice, Notice } from '../../ui/notice.tsx';
import { PlainTable } from '../../ui/plain-table.tsx';
import { QueryPart } from '../../ui/query-part.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { endSession, endSessionsOf } from './end-sessions.ts';
import type { SessionPage, ShownSession } from './read-sessions.ts';
import { maxIdentities, pageSize, readSessions } from './read-sessions.ts';
import { EndedRow, SessionRow } from './session-row.tsx';
import { useSignInMethods } from './sign-in-methods.ts';
import './api-sessions.css';
import { PageHeading } from '../../ui/page-heading.tsx';

/** Milliseconds between two questions of a visible page. */
const pollTime = 4_000;
/** Milliseconds after the last key before a name is looked for. */
const typingTime = 300;
const columns = ['Identity', 'Method', 'Address', 'Since', 'Last activity', 'Action'];

/** The API sessions as they come and go. */
export function ApiSessionsPage() {
  const { identity = '' } = useSearch({ from: '/api-sessions' });
  const [offset, setOffset] = useState(0);
  const [isPaused, setIsPaused] = useState(false);
  const isActive = useIsActive();
  const heading = useRef<HTMLHeadingElement>(null);
  const queries = useQueryClient();
  const queryKey = ['list', 'management', 'apiSessions', 'live', identity, offset] as const;
  const sessions = useQuery({
    queryKey,
    queryFn: ({ signal }) => readSessions({ identity, offset }, queries.getQueryData<SessionPage>(queryKey), signal),
    refetchInterval: isActive && !isPaused && pollTime,
  });
  return (
    <>
      <div className="row spread">
        <PageHeading title="API sessions" ref={heading} />
        <LiveSwitch isPaused={isPaused} isActive={isActive} onChange={setIsPaused} />
      </div>
      <NameFilter key="name" name={identity} onFilter={() => setOffset(0)} />
      <QueryPart query={sessions} what="API sessions">
        {(page) => (
          <>
            {page.isCut && (
              <Notice>More than {maxIdentities} identities have this in their name. Type more of it.</Notice>
            )}
            <Sessions page={page} onLastEnd={() => heading.current?.focus()} />
            <Pages total={page.total} offset={offset} onMove={setOffset} />
          </>
        )}
      </QueryPart>
    </>
  );
}

interface NameFilterProps {
  readonly name: string;
  readonly onFilter: () => void;
}

function NameFilter({ name, onFilter }: NameFilterProps) {
  const navigate = useNavigate({ from: '/api-sessions' });
  const [typed, setTyped] = useState(name);
  useEffect(() => {
    if (typed === name) return undefined;
    const timer = setTimeout(() => {
      onFilter();
      void navigate({ search: typed === '' ? {} : { identity: typed }, replace: true });
    }, typingTime);
    return () => clearTimeout(timer);
  }, [typed, name, navigate, onFilter]);
  return (
    <div className="name-filter">
      <SearchField label="Name of the identity" value={typed} onChange={setTyped} maxLength={100} />
    </div>
  );
}

interface SessionsProps {
  readonly page: SessionPage;
  /** Called when a person has ended sessions, and no row is left below them. */
  readonly onLastEnd: () => void;
}

interface EndAct {
  readonly row: ShownSession;
  readonly isAll: boolean;
}

function Sessions({ page: { rows, ended }, onLastEnd }: SessionsProps) {
  const { session } = useSession();
  const queries = useQueryClient();
  const now = useNow(1_000);
  const all = [...rows, ...ended].toSorted((a, b) => b.createdAt.localeCompare(a.createdAt));
  const methods = useSignInMethods(all.map(({ authenticatorId }) => authenticatorId));
  const endedIds = new Set(ended.map(({ id }) => id));
  const [focusedId, setFocusedId] = useState<string | null>(null);
  const end = useMutation({
    mutationFn: ({ row, isAll }: EndAct): Promise<unknown> =>
      isAll ? endSessionsOf(row.identityId) : endSession(row.id),
    onMutate: () => setFocusedId(null),
    onSettled: () => queries.invalidateQueries({ queryKey: ['list', 'management', 'apiSessions'] }),
  });

  /** The row from which it was done may go, and its button with the focus. */
  function endFrom(act: EndAct): void {
    const ends = ({ id, identityId }: ShownSession) =>
      act.isAll ? identityId === act.row.identityId && id !== session?.id : id === act.row.id;
    const next = all.slice(all.indexOf(act.row)).find((row) => !endedIds.has(row.id) && !ends(row));
    end.mutate(act, {
      onSuccess: () => (next ? setFocusedId(next.id) : onLastEnd()),
      onError: () => setFocusedId(act.row.id),
    });
  }

  if (all.length === 0) return <p className="soft">No API session matches.</p>;
  return (
    <>
      <ErrorNotice error={end.error} />
      <PlainTable label="API sessions" columns={columns}>
        {all.map((row) =>
          endedIds.has(row.id) ? (
            <EndedRow key={row.id} session={row} method={methods.get(row.authenticatorId)} now={now} />
          ) : (
            <SessionRow
              key={row.id}
              session={row}
              method={methods.get(row.authenticatorId)}
              now={now}
              isOwn={row.id === session?.id}
              isBusy={end.isPending}
              takesFocus={row.id === focusedId}
              onEnd={() => endFrom({ row, isAll: false })}
              onEndAll={() => endFrom({ row, isAll: true })}
            />
          ),
        )}
      </PlainTable>
    </>
  );
}

interface PagesProps {
  readonly total: number;
  readonly offset: number;
  readonly onMove: (offset: number) => void;
}

function Pages({ total, offset, onMove }: PagesProps) {
  if (total <= pageSize && offset === 0)
    return <p className="soft">{total === 1 ? '1 session' : `${total} sessions`}</p>;
  const last = Math.min(total, offset + pageSize);
  return (
    <div className="row">
      <Button isDisabled={offset === 0} onPress={() => onMove(Math.max(0, offset - pageSize))}>
        Newer
      </Button>
      <Button isDisabled={last >= total} onPress={() => onMove(offset + pageSize)}>
        Older
      </Button>
      <span className="soft">
        {total === 0 ? 0 : offset + 1} to {last} of {total.toLocaleString()}
      </span>
    </div>
  );
}
