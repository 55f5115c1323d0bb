import type { Row } from '@edge-controller/operation-tables';
import type { ComponentType } from 'react';
import { lazyPart } from '../../ui/lazy-part.ts';

interface PanelProps {
  readonly entity: Row;
}

export interface EntityPanel {
  readonly title: string;
  /** Loaded when somebody visits an entity of the resource: `lazyPart(() => import(…))`. */
  readonly Panel: ComponentType<PanelProps>;
}

const accessPanel = () => import('../../panels/access/access-panel.tsx');
const IdentityAccess = lazyPart<PanelProps>(async () => (await accessPanel()).IdentityAccess);
const ServiceAccess = lazyPart<PanelProps>(async () => (await accessPanel()).ServiceAccess);
const IdentityEnrollment = lazyPart<PanelProps>(
  async () => (await import('../../panels/enrollment/identity-enrollment.tsx')).IdentityEnrollment,
);
const EnrollmentPanel = lazyPart<PanelProps>(
  async () => (await import('../../panels/enrollment/enrollment-panel.tsx')).EnrollmentPanel,
);
const RouterEnrollment = lazyPart<PanelProps>(
  async () => (await import('../../panels/enrollment/router-enrollment.tsx')).RouterEnrollment,
);
const CaVerification = lazyPart<PanelProps>(
  async () => (await import('../../panels/cas/ca-verification.tsx')).CaVerification,
);
const CaEnrollment = lazyPart<PanelProps>(
  async () => (await import('../../panels/cas/ca-enrollment.tsx')).CaEnrollment,
);
const TokenTest = lazyPart<PanelProps>(
  async () => (await import('../../panels/external-jwt-signers/token-test.tsx')).TokenTest,
);

/** What the page of an entity shows beside its fields and lists, by resource. Most need nothing here. */
export const panels: Readonly<Record<string, readonly EntityPanel[]>> = {
  identities: [
    { title: 'Enrollment', Panel: IdentityEnrollment },
    { title: 'Access and activity', Panel: IdentityAccess },
  ],
  services: [{ title: 'Access', Panel: ServiceAccess }],
  edgeRouters: [{ title: 'Enrollment', Panel: RouterEnrollment }],
  transitRouters: [{ title: 'Enrollment', Panel: RouterEnrollment }],
  enrollments: [{ title: 'Enrollment', Panel: EnrollmentPanel }],
  cas: [
    { title: 'Verification', Panel: CaVerification },
    { title: 'Enrollment of its devices', Panel: CaEnrollment },
  ],
  externalJwtSigners: [{ title: 'Test a JWT', Panel: TokenTest }],
};
