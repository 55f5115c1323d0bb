import { useQueries, useQuery } from '@tanstack/react-query';
import { useNow } from '../../live/use-now.ts';
import { ErrorNotice } from '../../ui/notice.tsx';
import { QueryPart } from '../../ui/query-part.tsx';
import type { HourCount } from './count-sign-ins.ts';
import { countSignIns, lastHours } from './count-sign-ins.ts';
import type { PartProps } from './part-props.ts';
import { SignInChart } from './sign-in-chart.tsx';

const shownHours = 24;
const minuteTime = 60_000;
/** An hour that is over has its last count after so many milliseconds: an entry is written a moment after its time. */
const settleTime = 10_000;

/** Sign-ins per hour. Each hour is counted by itself; those that are over are counted once. */
export function SignInsPart({ interval }: PartProps) {
  const hours = lastHours(useNow(minuteTime), shownHours);
  const start = hours.at(-1) ?? 0;
  const current = useQuery({
    queryKey: ['auditLog', 'sign-ins', start],
    queryFn: ({ signal }) => countSignIns(start, signal),
    refetchInterval: interval,
  });
  const past = useQueries({
    queries: hours.slice(0, -1).map((hour) => ({
      queryKey: ['auditLog', 'sign-ins', 'past', hour],
      queryFn: async ({ signal }: { readonly signal: AbortSignal }) => countSignIns(hour, signal),
      staleTime: Number.POSITIVE_INFINITY,
      // Who may not read the log is asked once, and not for each hour.
      enabled: current.data !== undefined && Date.now() > hour + settleTime,
    })),
  });
  const counts: HourCount[] = [...past, current].map(
    ({ data }, at) => data ?? { start: hours[at] ?? 0, accepted: 0, refused: 0 },
  );
  return (
    <section className="card" aria-labelledby="sign-ins-title">
      <h2 id="sign-ins-title">Sign-ins per hour</h2>
      <QueryPart query={current} what="the audit log">
        {() => (
          <>
            <ErrorNotice error={past.find(({ error }) => error !== null)?.error} />
            <SignInChart hours={counts} />
          </>
        )}
      </QueryPart>
    </section>
  );
}
