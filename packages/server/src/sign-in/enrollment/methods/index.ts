import type { EnrollmentMethodHandler, EnrollmentRow } from '../method.ts';
import { erott } from './erott.ts';
import { ott } from './ott.ts';
import { ottca } from './ottca.ts';
import { trott } from './trott.ts';
import { updb } from './updb.ts';

/** The enrollment methods that need a token, by their names on the wire. */
export const methods: Readonly<Record<EnrollmentRow['method'], EnrollmentMethodHandler>> = {
  ott,
  ottca,
  updb,
  erott,
  trott,
};
