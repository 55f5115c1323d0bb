import type { Session, TotpEnrollment } from '@edge-controller/sdk';
import { useEdge } from '@edge-controller/sdk/react';
import { useEffect, useState } from 'react';
import { Problem } from './problem.tsx';
import { useAction } from './use-action.ts';

interface AccountProps {
  readonly session: Session;
  readonly onEnroll: (enrollment: TotpEnrollment) => void;
  readonly onSignOut: () => Promise<void>;
}

export function Account({ session, onEnroll, onSignOut }: AccountProps) {
  const edge = useEdge();
  const enrolling = useAction(async () => onEnroll(await edge.mfa.enroll()));
  const using = useAction(() => edge.client.currentApiSession.get());

  return (
    <section className="view">
      <h2>Signed in as {session.identity.name}</h2>
      <Problem error={enrolling.error ?? using.error} />
      <dl>
        <dt>State</dt>
        <dd>
          <span className={`badge ${session.state}`}>{session.state}</span>
        </dd>
        <dt>Session</dt>
        <dd>
          <code>{session.id}</code>
        </dd>
        <dt>Ends in</dt>
        <dd>
          <TimeLeft until={session.expiresAt} /> unless it is used
        </dd>
      </dl>
      <button type="button" onClick={using.run} disabled={using.isPending}>
        Use the session
      </button>
      <div className="links">
        <button type="button" className="link" onClick={enrolling.run} disabled={enrolling.isPending}>
          Set up an authenticator app
        </button>
        <button type="button" className="link" onClick={onSignOut}>
          Sign out
        </button>
      </div>
    </section>
  );
}

function TimeLeft({ until }: { until: Date | null }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, []);
  if (until === null) return <time>unknown</time>;
  const seconds = Math.max(0, Math.round((until.getTime() - now) / 1_000));
  return (
    <time dateTime={until.toISOString()}>
      {Math.floor(seconds / 60)}:{String(seconds % 60).padStart(2, '0')}
    </time>
  );
}
