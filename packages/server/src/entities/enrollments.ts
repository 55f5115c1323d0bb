import type { managementApi } from '@edge-controller/shared-types';
import { ApiError, invalidField } from '../api-error.ts';
import type { Handlers } from '../call.ts';
import { defineEntity } from '../crud/define-entity.ts';
import { handlersOf } from '../crud/handlers-of.ts';
import { inUnitOfWork } from '../crud/unit-of-work.ts';
import { setFields } from '../crud/write.ts';
import { issueEnrollmentToken, openEnrollmentTokens } from '../enrollment-tokens/enrollment-token.ts';
import { isoTime, parseTime } from '../lib/clock.ts';

export const enrollments = defineEntity('enrollments', {
  id: 'base62',
  fields: {
    identityId: { onDelete: 'cascade' },
    method: { unique: enrollmentExists, uniqueWith: 'identityId' },
  },

  // The only change of an enrollment is its refresh, which gives it a new token.
  async written({ unit: { caller, tx } }, { id, identityId, method, expiresAt }) {
    await issueEnrollmentToken({ call: caller, tx }, { id, identityId, method, expiresAt: Date.parse(expiresAt) });
  },

  async derive(services, states) {
    const tokens = await openEnrollmentTokens(
      services,
      states.map(({ id }) => id),
    );
    // An enrollment that was redeemed meanwhile has no token.
    return states.map(({ id }) => tokens.get(id) ?? { token: '', jwt: '' });
  },
});

function enrollmentExists(method: string): ApiError {
  const cause = { field: 'method', reason: 'enrollment of same method exists', value: method };
  return new ApiError('ENROLLMENT_EXISTS', { cause });
}

const { list, get, delete: remove } = handlersOf('enrollments');

/** Handlers of `/enrollments`. */
export const enrollmentHandlers: Handlers<typeof managementApi>['enrollments'] = {
  list,
  get,
  delete: remove,

  async refresh(call, { params: { id }, body }) {
    const expiresAt = parseTime(body.expiresAt);
    if (expiresAt === null) {
      const message = 'expiresAt is not a date and time of RFC 3339';
      throw new ApiError('COULD_NOT_PARSE_BODY', { cause: { code: 'UNHANDLED', message } });
    }
    if (expiresAt <= call.clock()) {
      throw invalidField('expiresAt', 'must be after the current date and time', body.expiresAt);
    }
    await inUnitOfWork(call, (unit) => setFields(unit, 'enrollments', id, () => ({ expiresAt: isoTime(expiresAt) })));
  },
};
