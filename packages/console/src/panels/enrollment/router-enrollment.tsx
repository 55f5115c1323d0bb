import type { Row } from '@edge-controller/operation-tables';
import { filter } from '@edge-controller/sdk';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { edge } from '../../session/edge.ts';
import { ErrorNotice } from '../../ui/notice.tsx';
import { EnrollmentJwt } from './enrollment-jwt.tsx';
import { RefreshButton } from './remedy-button.tsx';

/** Milliseconds between two checks whether the router has enrolled. */
const interval = 5_000;

/** The JWT with which an edge router or a transit router enrolls, until it has. */
export function RouterEnrollment({ entity }: { readonly entity: Row }) {
  const [id, name] = [String(entity.id), String(entity.name)];
  const queries = useQueryClient();
  const { data, error } = useQuery({
    queryKey: ['list', 'management', 'enrollments', 'router', id],
    queryFn: async () => {
      const query = { filter: filter`edgeRouter = ${id} or transitRouter = ${id}` };
      return (await edge.management.enrollments.list(query)).data;
    },
    refetchInterval: interval,
  });
  const hasChanged = data?.length === 0 && entity.isVerified === false;
  useEffect(() => {
    if (hasChanged) void queries.invalidateQueries({ queryKey: ['entity'] });
  }, [hasChanged, queries]);

  if (data === undefined) return error ? <ErrorNotice error={error} /> : <p className="soft">Loading …</p>;
  if (data.length === 0)
    return <p>{entity.isVerified ? 'The router has enrolled.' : 'The router has no enrollment.'}</p>;
  return data.map((enrollment) => (
    <section key={enrollment.id} className="stack" aria-label={`Enrollment of ${name}`}>
      <EnrollmentJwt enrollment={enrollment} name={name} />
      <div className="row">
        <RefreshButton enrollmentId={enrollment.id} />
      </div>
    </section>
  ));
}
