import type { Row } from '@edge-controller/operation-tables';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/notice.tsx';
import { EnrollAgain } from './enroll-again.tsx';
import type { EnrollmentFacts } from './enrollment-facts.ts';
import { validEnrollments } from './enrollment-facts.ts';
import { HandOver } from './hand-over.tsx';
import { NewEnrollment } from './new-enrollment.tsx';
import { methodNames } from './obstacles.ts';
import { PathView } from './path-view.tsx';
import { useEnrollmentFacts } from './use-enrollment-facts.ts';
import { WithdrawEnrollment } from './withdraw-enrollment.tsx';

/** How an identity enrolls: how far it is, what is in its way, and the JWTs for its device. */
export function IdentityEnrollment({ entity }: { readonly entity: Row }) {
  const id = String(entity.id);
  if (entity.typeId === 'Router') {
    return (
      <p>
        This is the identity of an edge router. It enrolls with{' '}
        <Link to="/entities/$resource/$id" params={{ resource: 'edgeRouters', id }}>
          its router
        </Link>
        .
      </p>
    );
  }
  return <Enrollments id={id} />;
}

function Enrollments({ id }: { readonly id: string }) {
  const { facts, error } = useEnrollmentFacts(id);
  const [isEnrolling, setIsEnrolling] = useState(false);
  const enroll = () => setIsEnrolling(true);
  if (facts === null) return error ? <ErrorNotice error={error} /> : <p className="soft">Loading …</p>;
  return (
    <>
      <PathView facts={facts} onEnroll={enroll} />
      <HandOvers facts={facts} />
      <div className="row">
        {facts.enrollments.length + facts.authenticators.length > 0 && <Button onPress={enroll}>New enrollment</Button>}
        {facts.authenticators.map((authenticator) => (
          <EnrollAgain key={authenticator.id} authenticator={authenticator} />
        ))}
      </div>
      {isEnrolling && <NewEnrollment identity={facts.identity} onClose={() => setIsEnrolling(false)} />}
    </>
  );
}

function HandOvers({ facts: { enrollments, identity, now } }: { readonly facts: EnrollmentFacts }) {
  return validEnrollments(enrollments, now).map((enrollment) => (
    <section key={enrollment.id} className="stack" aria-label={`Enrollment ${methodNames[enrollment.method]}`}>
      <h3>Enrollment {methodNames[enrollment.method]}</h3>
      <HandOver enrollment={enrollment} name={identity.name} />
      <WithdrawEnrollment enrollment={enrollment} />
    </section>
  ));
}
