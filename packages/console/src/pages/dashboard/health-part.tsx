import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { edge } from '../../session/edge.ts';
import { ErrorNotice } from '../../ui/notice.tsx';
import { QueryPart } from '../../ui/query-part.tsx';
import type { PartProps } from './part-props.ts';

/** Milliseconds after which an answer is worth a word. */
const slowAnswer = 1_000;

/** Routers that are checked: no filter knows which are online. */
const maxRouters = 500;
/** They are asked for in one of so many rounds. */
const routersEvery = 4;

/** Whether the controller answers, and how much it has. */
export function HealthPart({ interval }: PartProps) {
  return (
    <section className="tiles" aria-label="State of the controller">
      <ControllerTile interval={interval} />
      <CountTiles interval={interval} />
      <RoutersTile interval={interval} />
    </section>
  );
}

function ControllerTile({ interval }: PartProps) {
  const { data, error } = useQuery({
    queryKey: ['entity', 'management', 'version'],
    queryFn: async ({ signal }) => {
      const start = performance.now();
      const version = await edge.management.version.get({ signal });
      return { ...version, took: performance.now() - start };
    },
    refetchInterval: interval,
  });
  const isSlow = data !== undefined && data.took > slowAnswer;
  return (
    <div className="card tile wide">
      <h2>Controller</h2>
      <p>
        {error ? (
          <span className="badge bad">Not reachable</span>
        ) : (
          data && <span className={isSlow ? 'badge warn' : 'badge good'}>{isSlow ? 'Slow' : 'Healthy'}</span>
        )}
      </p>
      <ErrorNotice error={error} />
      {data && (
        <p className="soft">
          Version {data.version}, answered in {Math.max(1, Math.round(data.took))} ms
        </p>
      )}
    </div>
  );
}

function CountTiles({ interval }: PartProps) {
  const summary = useQuery({
    queryKey: ['entity', 'management', 'summary'],
    queryFn: ({ signal }) => edge.management.summary.get({ signal }),
    refetchInterval: interval,
  });
  const show = (count: (counts: Readonly<Record<string, number>>) => number | undefined) => (
    <QueryPart query={summary} what="the counts">
      {(counts) => <Figure>{(count(counts) ?? 0).toLocaleString()}</Figure>}
    </QueryPart>
  );
  return (
    <>
      <div className="card tile">
        <h2>
          <Link to="/api-sessions">API sessions</Link>
        </h2>
        {show(({ apiSessions }) => apiSessions)}
      </div>
      <div className="card tile">
        <h2>
          <Link to="/entities/$resource" params={{ resource: 'identities' }}>
            Identities
          </Link>
        </h2>
        {show(({ identities }) => identities)}
      </div>
      <div className="card tile">
        <h2>
          <Link to="/entities/$resource" params={{ resource: 'services' }}>
            Services
          </Link>
        </h2>
        {show(({ services }) => services)}
      </div>
    </>
  );
}

function RoutersTile({ interval }: PartProps) {
  const routers = useQuery({
    queryKey: ['list', 'management', 'edgeRouters', 'online'],
    queryFn: async ({ signal }) => {
      const { data, meta } = await edge.management.edgeRouters.list({ limit: maxRouters }, { signal });
      const online = data.filter(({ isOnline }) => isOnline).length;
      return { online, read: data.length, all: meta.pagination?.totalCount ?? data.length };
    },
    refetchInterval: interval && interval * routersEvery,
  });
  return (
    <div className="card tile">
      <h2>
        <Link to="/entities/$resource" params={{ resource: 'edgeRouters' }}>
          Routers online
        </Link>
      </h2>
      <QueryPart query={routers} what="edge routers">
        {({ online, read, all }) => (
          <Figure>
            {online} <span className="soft">of {read < all ? `the first ${read}` : all}</span>
          </Figure>
        )}
      </QueryPart>
    </div>
  );
}

function Figure({ children }: { readonly children: ReactNode }) {
  return <p className="figure">{children}</p>;
}
