import { ApiError } from '../../api-error.ts';
import type { EnrollmentMethodHandler, EnrollmentRow } from '../method.ts';
import { updb } from './updb.ts';

const notRedeemable: EnrollmentMethodHandler = async (_call, { method }) => {
  throw new ApiError('NOT_IMPLEMENTED', {
    cause: {
      field: 'method',
      reason: 'enrollments of this method cannot be redeemed on this controller',
      value: method,
    },
  });
};

/** The enrollment methods by their names on the wire. */
export const methods: Readonly<Record<EnrollmentRow['method'], EnrollmentMethodHandler>> = {
  ott: notRedeemable,
  ottca: notRedeemable,
  updb,
};
