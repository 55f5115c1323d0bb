import type {
  IdentityCreate,
  IdentityDetail,
  IdentityPatch,
  IdentityUpdate,
  managementApi,
} from '@edge-controller/shared-types';
import { ApiError, invalidField, notFound } from '../../api-error.ts';
import type { Handlers } from '../../call.ts';
import { isoTime } from '../../lib/clock.ts';
import type { Tables } from '../../stores/entity-store.ts';
import { listAuthenticatorsOf } from '../authenticator-details.ts';
import type { Change } from '../define-entity.ts';
import { baseFields, defineEntity, lockRow, readRow } from '../define-entity.ts';
import { resetFailedAttempts } from '../password-attempts.ts';
import { addEnrollment } from './add-enrollment.ts';
import { identityDetails } from './identity-details.ts';
import { removeMfa } from './remove-mfa.ts';

type IdentityRow = Tables['identities'];

const entity = defineEntity<'identities', IdentityDetail, IdentityCreate, IdentityUpdate, IdentityPatch>({
  table: 'identities',
  noun: 'identity',
  fields: {
    ...baseFields,
    name: { column: 'name', type: 'string' },
    type: { column: 'typeId', type: 'string' },
    roleAttributes: { column: 'roleAttributes', type: 'set' },
    externalId: { column: 'externalId', type: 'string' },
    authPolicyId: { column: 'authPolicyId', type: 'string' },
    isAdmin: { column: 'isAdmin', type: 'boolean' },
    isDefaultAdmin: { column: 'isDefaultAdmin', type: 'boolean' },
  },
  details: identityDetails,

  create: async (change, body) => ({
    ...(await replacedColumns(change, body)),
    typeId: 'Default',
    isDefaultAdmin: 0,
    envInfo: '{}',
    sdkInfo: '{}',
    disabledAt: null,
    disabledUntil: null,
  }),
  created: (change, body, row) => addEnrollment(change, body.enrollment ?? {}, row),

  async update(change, body, row) {
    refuseRouter(body.type);
    await resetFailedAttempts(change.tx, row.id);
    // PUT also resets columns that have no member in the body, so it enables a disabled identity.
    return { ...(await replacedColumns(change, body)), disabledAt: null, disabledUntil: null };
  },

  async patch(change, body, row) {
    const sent = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null && value !== undefined));
    const columns = await replacedColumns(change, { ...currentValues(row), ...sent } as IdentityUpdate);
    return Object.fromEntries(Object.entries(columns).filter(([name]) => name in sent));
  },

  async beforeDelete(_change, row) {
    if (row.isDefaultAdmin === 1) throw new ApiError('ENTITY_CAN_NOT_BE_DELETED');
  },

  effects: {
    changed: () => ({ kind: 'changed' }),
    deleted: (row) => ({ kind: 'endSessions', identityId: row.id }),
  },
  taken: (_column, value) => `duplicate value '${value}' in unique index on identities store`,
});

/** Returns the columns that POST and PUT write, with defaults for absent members. */
async function replacedColumns({ call, tx }: Change, body: IdentityUpdate) {
  if (body.name === '') throw invalidField('name', 'name is required', '');
  const authPolicyId = body.authPolicyId || 'default';
  const policies = tx.selectFrom('authPolicies').select('id').where('id', '=', authPolicyId);
  // A concurrent deletion of the policy waits for this lock, and then finds this identity. SQLite has only one writer.
  const policy = await (call.entities.dialect === 'postgres' ? policies.forKeyShare() : policies).executeTakeFirst();
  if (!policy) throw notFound('authPolicy', authPolicyId);
  refuseUnknownServices({ ...body.serviceHostingCosts, ...body.serviceHostingPrecedences });
  return {
    name: body.name,
    isAdmin: body.isAdmin ? 1 : 0,
    externalId: body.externalId?.trim() ? body.externalId : null,
    authPolicyId,
    roleAttributes: JSON.stringify(roleAttributes(body.roleAttributes ?? [])),
    defaultHostingCost: body.defaultHostingCost ?? 0,
    defaultHostingPrecedence: body.defaultHostingPrecedence ?? 'default',
    serviceHostingCosts: JSON.stringify(body.serviceHostingCosts ?? {}),
    serviceHostingPrecedences: JSON.stringify(body.serviceHostingPrecedences ?? {}),
    appData: JSON.stringify(body.appData ?? {}),
  };
}

function currentValues(row: IdentityRow) {
  return {
    name: row.name,
    type: 'Default',
    isAdmin: row.isAdmin === 1,
    externalId: row.externalId,
    authPolicyId: row.authPolicyId,
  };
}

function roleAttributes(given: readonly string[]): string[] {
  const prefixed = given.find((attribute) => /^[#@]/.test(attribute));
  if (prefixed !== undefined) {
    throw invalidField('roleAttributes', 'role attributes may not be prefixed with #', prefixed);
  }
  return [...new Set(given)].sort();
}

/** This controller has no services yet, so every service id is unknown. */
function refuseUnknownServices(byService: Record<string, unknown>): void {
  const ids = Object.keys(byService);
  if (ids.length > 0) {
    const message = `services with id ${ids.slice(0, 5).join(', ')} not found`;
    throw new ApiError('NOT_FOUND', { cause: { code: 'UNHANDLED', message } });
  }
}

function refuseRouter(type: IdentityUpdate['type']): void {
  if (type === 'Router') throw invalidField('typeId', 'may not change type to router', type);
}

/** Handlers of `/identities`. */
export const identities: Handlers<typeof managementApi>['identities'] = {
  ...entity,
  removeMfa,

  async authenticators(call, { params: { id }, query }) {
    const identity = await readRow(call.entities.db, 'identities', id);
    if (!identity) throw notFound('identity', id);
    return await listAuthenticatorsOf(call, id, query);
  },

  async create(call, input) {
    const created = await entity.create(call, input);
    call.events.emit('identityCreated', { identityId: created.id });
    return created;
  },

  async delete(call, input) {
    await entity.delete(call, input);
    call.events.emit('identityDeleted', { identityId: input.params.id });
  },

  async disable(call, { params: { id }, body: { durationMinutes } }) {
    const now = call.clock();
    const until = durationMinutes > 0 ? now + durationMinutes * 60_000 : null;
    if (until !== null && until > maxTime) {
      throw invalidField('durationMinutes', 'is too far in the future', String(durationMinutes));
    }
    await call.entities.transaction(async (tx) => {
      await lockRow({ call, tx }, 'identities', 'identity', id);
      await tx
        .updateTable('identities')
        .set({
          disabledAt: isoTime(now),
          disabledUntil: until === null ? null : isoTime(until),
          updatedAt: isoTime(now),
        })
        .where('id', '=', id)
        .execute();
      await resetFailedAttempts(tx, id);
      await call.outbox.add(tx, { kind: 'endSessions', identityId: id });
    });
    await call.outbox.drain();
    call.events.emit('identityDisabled', { identityId: id });
  },

  async enable(call, { params: { id } }) {
    await call.entities.transaction(async (tx) => {
      await lockRow({ call, tx }, 'identities', 'identity', id);
      await tx
        .updateTable('identities')
        .set({ disabledAt: null, disabledUntil: null, updatedAt: isoTime(call.clock()) })
        .where('id', '=', id)
        .execute();
      await resetFailedAttempts(tx, id);
      await call.outbox.add(tx, { kind: 'changed' });
    });
    await call.outbox.drain();
  },
};

/** The end of 9999-12-31, the last time that RFC 3339 can represent. */
const maxTime = 253_402_300_799_999;
