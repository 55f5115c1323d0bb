import type { Row } from '@edge-controller/operation-tables';
import type { ComponentType } from 'react';
import { lazy } from 'react';

export interface EntityPanel {
  readonly title: string;
  /** Loaded when somebody visits an entity of the resource: `lazy(() => import(…))`. */
  readonly Panel: ComponentType<{ readonly entity: Row }>;
}

const IdentityEnrollment = lazy(async () => ({
  default: (await import('../panels/enrollment/identity-enrollment.tsx')).IdentityEnrollment,
}));
const EnrollmentPanel = lazy(async () => ({
  default: (await import('../panels/enrollment/enrollment-panel.tsx')).EnrollmentPanel,
}));
const CaVerification = lazy(async () => ({
  default: (await import('../panels/cas/ca-verification.tsx')).CaVerification,
}));
const CaEnrollment = lazy(async () => ({ default: (await import('../panels/cas/ca-enrollment.tsx')).CaEnrollment }));
const TokenTest = lazy(async () => ({
  default: (await import('../panels/external-jwt-signers/token-test.tsx')).TokenTest,
}));

/** What the page of an entity shows beside its fields and lists, by resource. Most need nothing here. */
export const panels: Readonly<Record<string, readonly EntityPanel[]>> = {
  identities: [{ title: 'Enrollment', Panel: IdentityEnrollment }],
  enrollments: [{ title: 'Enrollment', Panel: EnrollmentPanel }],
  cas: [
    { title: 'Verification', Panel: CaVerification },
    { title: 'Enrollment of its devices', Panel: CaEnrollment },
  ],
  externalJwtSigners: [{ title: 'Test a JWT', Panel: TokenTest }],
};
