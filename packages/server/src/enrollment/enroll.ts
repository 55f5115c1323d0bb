import type { clientApi, GenericEnroll } from '@edge-controller/shared-types';
import type { Transaction } from 'kysely';
import { ApiError, invalidField } from '../api-error.ts';
import type { Call, Handlers } from '../call.ts';
import { tokenHash } from '../lib/ids.ts';
import type { Tables } from '../stores/entity-store.ts';
import type { EnrollmentRow } from './method.ts';
import { methods } from './methods/index.ts';
import { usernameTaken } from './methods/updb.ts';

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const enroll: Handlers<typeof clientApi>['enroll'] = {
  enroll: (call, { query, body }) => redeem(call, query, body),
  updb: (call, { query, body }) => redeem(call, { ...query, method: 'updb' }, body),
};

interface EnrollQuery {
  readonly token?: string | undefined;
  readonly method?: string | undefined;
}

async function redeem(call: Call, query: EnrollQuery, body: GenericEnroll): Promise<void> {
  const enrollment = await findEnrollment(call, query);
  const write = await methods[enrollment.method](call, enrollment, body);
  await call.entities
    .transaction(async (tx) => {
      await lockIdentity(call, tx, enrollment.identityId);
      const consumed = await tx
        .deleteFrom('enrollments')
        .where('id', '=', enrollment.id)
        .where('tokenHash', '=', enrollment.tokenHash)
        .executeTakeFirst();
      if (consumed.numDeletedRows !== 1n) throw new ApiError('INVALID_ENROLLMENT_TOKEN');
      await write(tx);
    })
    .catch((error: unknown) => {
      throw call.entities.violatedUnique(error) === 'username' ? usernameTaken() : error;
    });
  call.events.emit('enrollmentRedeemed', {
    identityId: enrollment.identityId,
    enrollmentId: enrollment.id,
    method: enrollment.method,
  });
}

/** Locks the identity before its enrollment, as the deletion of an identity does. Another order could deadlock. */
async function lockIdentity({ entities }: Call, tx: Transaction<Tables>, identityId: string): Promise<void> {
  const query = tx.selectFrom('identities').select('id').where('id', '=', identityId);
  await (entities.dialect === 'postgres' ? query.forUpdate() : query).execute();
}

/** Checks in the order of the wire: token, method, expiry. A used and an unknown token give the same error. */
async function findEnrollment(call: Call, { token, method }: EnrollQuery): Promise<EnrollmentRow> {
  if (!token) throw new ApiError('INVALID_ENROLLMENT_TOKEN');
  if (!uuid.test(token)) throw invalidField('token', 'token in query must be of type uuid');
  const enrollment = await call.entities.db
    .selectFrom('enrollments')
    .selectAll()
    .where('tokenHash', '=', tokenHash(token))
    .executeTakeFirst();
  if (!enrollment) throw new ApiError('INVALID_ENROLLMENT_TOKEN');
  if (method && method !== enrollment.method) throw new ApiError('INVALID_ENROLL_METHOD');
  if (Date.parse(enrollment.expiresAt) <= call.clock()) throw new ApiError('ENROLLMENT_EXPIRED');
  return enrollment;
}
