import type { managementApi } from '@edge-controller/shared-types';
import { inUnitOfWork } from '../../crud/unit-of-work.ts';
import { deleteEntity, setFields } from '../../crud/write.ts';
import type { Handlers } from '../dependencies.ts';
import { addRouterEnrollment } from './router-enrollments.ts';

/** As before its first enrollment. */
const unverified = {
  isVerified: false,
  fingerprint: null,
  certPem: null,
  unverifiedFingerprint: null,
  unverifiedCertPem: null,
};

/** Handlers of one edge router besides those of every entity. */
export const edgeRouterActions: Pick<Handlers<typeof managementApi>['edgeRouters'], 'reEnroll'> = {
  async reEnroll(call, { params: { id } }) {
    await inUnitOfWork(call, async (unit) => {
      await setFields(unit, 'edgeRouters', id, () => unverified);
      const former = await unit.tx.selectFrom('enrollments').select('id').where('edgeRouterId', '=', id).execute();
      for (const enrollment of former) await deleteEntity(unit, 'enrollments', enrollment.id);
      await addRouterEnrollment(unit, { edgeRouterId: id });
    });
  },
};
