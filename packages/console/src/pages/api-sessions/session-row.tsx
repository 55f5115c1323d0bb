import { useEffect, useRef, useState } from 'react';
import { IdentityLink } from '../../ui/identity-link.tsx';
import { InlineConfirm } from '../../ui/inline-confirm.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import type { ShownSession } from './read-sessions.ts';

/** Milliseconds for which a session that has ended is still there. */
const fadeTime = 4_000;

interface SessionRowProps {
  readonly session: ShownSession;
  readonly method: string | undefined;
  readonly now: number;
  readonly isOwn: boolean;
  readonly isBusy: boolean;
  /** Its button has the focus as soon as it can. */
  readonly takesFocus: boolean;
  readonly onEnd: () => void;
  readonly onEndAll: () => void;
}

export function SessionRow({ session, method, now, isOwn, isBusy, takesFocus, onEnd, onEndAll }: SessionRowProps) {
  const { identity } = session;
  const element = useRef<HTMLTableRowElement>(null);
  useEffect(() => {
    if (takesFocus && !isBusy) element.current?.querySelector('button')?.focus();
  }, [takesFocus, isBusy]);
  const all = { label: isOwn ? `End all others of ${identity.name}` : `End all of ${identity.name}`, run: onEndAll };
  return (
    <tr ref={element}>
      <SessionCells session={session} method={method} now={now} />
      <td className="session-act">
        <div className="row">
          {isOwn && <span className="badge">This page</span>}
          <InlineConfirm
            name={isOwn ? `End others of ${identity.name}` : `End session of ${identity.name}`}
            acts={isOwn ? [all] : [{ label: 'End this session', run: onEnd }, all]}
            isDisabled={isBusy}
          >
            {isOwn ? 'End others' : 'End'}
          </InlineConfirm>
        </div>
      </td>
    </tr>
  );
}

/** A session that has ended. It fades out. */
export function EndedRow({ session, method, now }: Pick<SessionRowProps, 'session' | 'method' | 'now'>) {
  const [isGone, setIsGone] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsGone(true), fadeTime);
    return () => clearTimeout(timer);
  }, []);
  if (isGone) return null;
  return (
    <tr className="ended">
      <SessionCells session={session} method={method} now={now} />
      <td>
        <span className="badge bad">Ended</span>
      </td>
    </tr>
  );
}

function SessionCells({ session, method, now }: Pick<SessionRowProps, 'session' | 'method' | 'now'>) {
  const { identity, ipAddress, createdAt, lastActivityAt, isPartial } = session;
  return (
    <>
      <th scope="row">
        <IdentityLink id={identity.id} name={identity.name} />
      </th>
      <td>
        {method ?? '–'} {isPartial && <span className="badge warn">Second factor missing</span>}
      </td>
      <td>{ipAddress}</td>
      <td>
        <Timestamp at={createdAt} />
      </td>
      <td>
        <Timestamp at={lastActivityAt} now={now} />
      </td>
    </>
  );
}
