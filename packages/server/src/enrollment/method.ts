import type { GenericEnroll } from '@edge-controller/shared-types';
import type { Transaction } from 'kysely';
import type { Call } from '../call.ts';
import type { Tables } from '../stores/entity-store.ts';

export type EnrollmentRow = Tables['enrollments'];

/**
 * Redeems an enrollment in two steps. The handler does everything that takes long or may be refused. It returns the
 * write, which runs in the transaction that consumes the enrollment.
 */
export type EnrollmentMethodHandler = (
  call: Call,
  enrollment: EnrollmentRow,
  body: GenericEnroll,
) => Promise<(tx: Transaction<Tables>) => Promise<void>>;
