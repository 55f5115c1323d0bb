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

interface Asked {
  readonly token?: string | undefined;
  readonly method?: string | undefined;
}

async function redeem(call: Call, asked: Asked, body: GenericEnroll): Promise<void> {
  const enrollment = await findEnrollment(call, asked);
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

/** Deletion of an identity locks it before its enrollments: the same order here, or the two block each other. */
async function lockIdentity({ entities }: Call, tx: Transaction<Tables>, identityId: string): Promise<void> {
  const query = tx.selectFrom('identities').select('id').where('id', '=', identityId);
  await (entities.dialect === 'postgres' ? query.forUpdate() : query).execute();
}

/** The order of refusals is the wire's: token, method, expiry. A used token and an unknown one look the same. */
async function findEnrollment(call: Call, { token, method }: Asked): Promise<EnrollmentRow> {
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
