import type { EnrollmentResult, GenericEnroll } from '@edge-controller/shared-types';
import type { UnitOfWork } from '../../crud/unit-of-work.ts';
import type { Tables } from '../../storage/entity-store/entity-store.ts';
import type { EnrollmentCall } from './dependencies.ts';

export type EnrollmentRow = Tables['enrollments'];

/** An enrollment, and the identity or router that it belongs to. */
export type OwnedEnrollment = EnrollmentRow & { readonly ownerId: string };

/**
 * Redeems an enrollment in two steps. The handler does everything that takes long or may be refused. It returns the
 * write, which runs in the unit of work that consumes the enrollment and returns what the client gets.
 */
export type EnrollmentMethodHandler = (
  call: EnrollmentCall,
  enrollment: OwnedEnrollment,
  body: GenericEnroll,
) => Promise<(unit: UnitOfWork) => Promise<EnrollmentResult>>;
