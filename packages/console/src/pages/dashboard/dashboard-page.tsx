import { Navigate } from '@tanstack/react-router';
import { useRights } from '../../api/rights.ts';
import { useIsActive } from '../../live/use-is-active.ts';
import { AdministratorsPart } from './administrators-part.tsx';
import { HealthPart } from './health-part.tsx';
import { OpenPoliciesPart } from './open-policies-part.tsx';
import { RefusalsPart } from './refusals-part.tsx';
import { SessionsPart } from './sessions-part.tsx';
import { SignInsPart } from './sign-ins-part.tsx';
import './dashboard.css';
import { PageHeading } from '../../ui/page-heading.tsx';

/** Milliseconds between two questions of a visible dashboard. */
const pollTime = 15_000;

/** Is it healthy, who is signed in, what was refused lately. Who manages nothing gets the own account. */
export function DashboardPage() {
  const interval = useIsActive() ? pollTime : false;
  if (!useRights().isManager) return <Navigate to="/account" replace />;
  return (
    <>
      <PageHeading title="Dashboard" />
      <HealthPart interval={interval} />
      <AdministratorsPart interval={interval} />
      <OpenPoliciesPart interval={interval} />
      <SignInsPart interval={interval} />
      <div className="dashboard-columns">
        <RefusalsPart interval={interval} />
        <SessionsPart interval={interval} />
      </div>
    </>
  );
}
