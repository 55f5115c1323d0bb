import type { clientApi, EnrollmentResult, GenericEnroll } from '@edge-controller/shared-types';
import { ApiError, invalidField } from '../../core/api-error.ts';
import type { PresentedToken } from '../../credentials/enrollment-tokens/enrollment-token.ts';
import { consumeEnrollmentToken, findEnrollmentToken } from '../../credentials/enrollment-tokens/enrollment-token.ts';
import { inUnitOfWork } from '../../crud/unit-of-work.ts';
import { deleteEntity } from '../../crud/write.ts';
import { lockOwner, ownerOf } from '../../storage/entity-store/locks/enrollment-owner.ts';
import type { EnrollmentCall, Handlers } from './dependencies.ts';
import { extendRouter } from './extend-router.ts';
import type { EnrollmentRow } from './method.ts';
import { enrollByCa } from './methods/ca.ts';
import { methods } from './methods/index.ts';
import { enrollByToken } from './methods/token.ts';

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const enroll: Handlers<typeof clientApi>['enroll'] = {
  enroll: (call, { query, body }) =>
    publishingRefusals(call, query.method ?? null, async () => {
      if (query.method === 'ca') return await enrollByCa(call, body.name ?? null);
      return await redeem(call, { token: readToken(query.token), method: query.method }, body);
    }),
  ott: (call, { body: { token, clientCsr } }) =>
    publishingRefusals(call, 'ott', () => redeem(call, { token, method: 'ott' }, { clientCsr })),
  ottca: (call, { body: { token } }) =>
    publishingRefusals(call, 'ottca', () => redeem(call, { token, method: 'ottca' }, {})),
  erott: (call, { body: { token, clientCsr: certCsr, serverCsr: serverCertCsr } }) =>
    publishingRefusals(call, 'erott', () => redeem(call, { token, method: 'erott' }, { certCsr, serverCertCsr })),
  extendRouter,
  ca: (call, { body }) => publishingRefusals(call, 'ca', () => enrollByCa(call, body.name ?? null)),
  token: (call, { headers, body: { clientCsr } }) =>
    publishingRefusals(call, 'token', () =>
      enrollByToken(call, { signerId: headers['ziti-token-issuer-id'] || null, csr: clientCsr || null }),
    ),
  updb: (call, { query, body }) =>
    publishingRefusals(
      call,
      'updb',
      async () => await redeem(call, { token: readToken(query.token), method: 'updb' }, body),
    ),
};

async function publishingRefusals<T>(
  call: EnrollmentCall,
  method: string | null,
  enrolling: () => Promise<T>,
): Promise<T> {
  return await enrolling().catch(async (error: unknown) => {
    if (error instanceof ApiError) await call.audit.publish(call, 'enrollment.refused', { method, code: error.code });
    throw error;
  });
}

/** Only a token in the query must have the form of one. */
function readToken(token: string | undefined): string | null {
  if (token && !uuid.test(token)) throw invalidField('token', 'token in query must be of type uuid');
  return token || null;
}

interface Redemption {
  readonly token: string | null | undefined;
  readonly method: string | undefined;
}

async function redeem(call: EnrollmentCall, redemption: Redemption, body: GenericEnroll): Promise<EnrollmentResult> {
  const { enrollment, presented } = await findEnrollment(call, redemption);
  const owner = ownerOf(enrollment);
  const write = await methods[enrollment.method](call, { ...enrollment, ownerId: owner.id }, body);
  return inUnitOfWork(call, async (unit) => {
    await lockOwner(call.database, unit.tx, owner);
    if (!(await consumeEnrollmentToken(unit.tx, presented))) throw new ApiError('INVALID_ENROLLMENT_TOKEN');
    await deleteEntity(unit, 'enrollments', enrollment.id);
    const result = await write(unit);
    const { id: enrollmentId, method } = enrollment;
    if (method === 'erott' || method === 'trott') unit.emit('router.enrolled', { routerId: owner.id, method });
    else unit.emit('enrollment.redeemed', { identityId: owner.id, enrollmentId, method });
    return result;
  });
}

interface Found {
  readonly enrollment: EnrollmentRow;
  readonly presented: PresentedToken;
}

/** Checks in the order of the wire: token, method, expiry. A used and an unknown token give the same error. */
async function findEnrollment(call: EnrollmentCall, { token, method }: Redemption): Promise<Found> {
  if (!token) throw new ApiError('INVALID_ENROLLMENT_TOKEN');
  const { db } = call.database;
  const presented = await findEnrollmentToken(db, token);
  const enrollment =
    presented &&
    (await db.selectFrom('enrollments').selectAll().where('id', '=', presented.enrollmentId).executeTakeFirst());
  if (!presented || !enrollment) throw new ApiError('INVALID_ENROLLMENT_TOKEN');
  if (method && method !== enrollment.method) throw new ApiError('INVALID_ENROLL_METHOD');
  if (Date.parse(enrollment.expiresAt) <= call.clock()) throw new ApiError('ENROLLMENT_EXPIRED');
  return { enrollment, presented };
}
