import type { Row } from '@edge-controller/operation-tables';
import { isEdgeApiError } from '@edge-controller/sdk';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { edge } from '../../session/edge.ts';
import { ErrorNotice, Notice } from '../../ui/notice.tsx';
import { isExpired } from './enrollment-facts.ts';
import { EnrollmentJwt } from './enrollment-jwt.tsx';
import { NewEnrollment } from './new-enrollment.tsx';
import { PathView } from './path-view.tsx';
import { RefreshButton } from './remedy-button.tsx';
import { useEnrollmentFacts } from './use-enrollment-facts.ts';

/** The JWT of one enrollment, and how far its identity is. */
export function EnrollmentPanel({ entity }: { readonly entity: Row }) {
  const id = String(entity.id);
  const { data, error } = useQuery({
    queryKey: ['entity', 'management', 'enrollments', id, 'typed'],
    queryFn: () => edge.management.enrollments.get(id),
  });
  if (isEdgeApiError(error, 'NOT_FOUND')) return <Notice>The JWT was redeemed or withdrawn.</Notice>;
  if (!data) return error ? <ErrorNotice error={error} /> : <p className="soft">Loading …</p>;
  const { identityId, identity, edgeRouter, transitRouter } = data;
  const hasExpired = isExpired(data, Date.now());
  const name = (identity ?? edgeRouter ?? transitRouter)?.name ?? 'enrollment';
  return (
    <>
      {identityId && <IdentityPath id={identityId} />}
      <EnrollmentJwt enrollment={data} name={name} />
      {/* The path of an identity has the button when it has expired. */}
      {!(hasExpired && identityId) && (
        <div className="row">
          <RefreshButton enrollmentId={id} />
        </div>
      )}
    </>
  );
}

function IdentityPath({ id }: { readonly id: string }) {
  const { facts, error } = useEnrollmentFacts(id);
  const [isEnrolling, setIsEnrolling] = useState(false);
  if (facts === null) return <ErrorNotice error={error} />;
  return (
    <>
      <PathView facts={facts} onEnroll={() => setIsEnrolling(true)} />
      {isEnrolling && <NewEnrollment identity={facts.identity} onClose={() => setIsEnrolling(false)} />}
    </>
  );
}
