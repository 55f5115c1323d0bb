import type {
  AuthPolicyCreate,
  AuthPolicyDetail,
  AuthPolicyPatch,
  AuthPolicyUpdate,
  managementApi,
} from '@edge-controller/shared-types';
import { ApiError, invalidField } from '../../api-error.ts';
import type { Handlers } from '../../call.ts';
import type { Tables } from '../../stores/entity-store.ts';
import type { PolicyColumns } from '../auth-policy.ts';
import { readAuthPolicy } from '../auth-policy.ts';
import type { Change } from '../define-entity.ts';
import { baseFields, defineEntity } from '../define-entity.ts';

type PolicyRow = Tables['authPolicies'];
type Rules = Pick<AuthPolicyUpdate, 'primary' | 'secondary'>;

const shortestPassword = 5;

/** Handlers of `/auth-policies`. */
export const authPolicies: Handlers<typeof managementApi>['authPolicies'] = defineEntity<
  'authPolicies',
  AuthPolicyDetail,
  AuthPolicyCreate,
  AuthPolicyUpdate,
  AuthPolicyPatch
>({
  table: 'authPolicies',
  noun: 'authPolicy',
  fields: {
    ...baseFields,
    isSystem: { column: 'isSystem', type: 'boolean' },
    name: { column: 'name', type: 'string' },
    'primary.cert.allowed': { column: 'certAllowed', type: 'boolean' },
    'primary.cert.allowExpiredCerts': { column: 'certAllowExpiredCerts', type: 'boolean' },
    'primary.updb.allowed': { column: 'updbAllowed', type: 'boolean' },
    'primary.updb.minPasswordLength': { column: 'updbMinPasswordLength', type: 'number' },
    'primary.updb.requireSpecialChar': { column: 'updbRequireSpecialChar', type: 'boolean' },
    'primary.updb.requireNumberChar': { column: 'updbRequireNumberChar', type: 'boolean' },
    'primary.updb.requireMixedCase': { column: 'updbRequireMixedCase', type: 'boolean' },
    'primary.updb.maxAttempts': { column: 'updbMaxAttempts', type: 'number' },
    'primary.extJwt.allowed': { column: 'extJwtAllowed', type: 'boolean' },
    'secondary.requireTotp': { column: 'requireTotp', type: 'boolean' },
    'secondary.requireExtJwtSigner': { column: 'requireExtJwtSigner', type: 'string' },
  },
  details: async (_call, rows) => rows.map(toDetail),

  create: async (_change, body) => ({ ...namedColumn(body.name), ...ruleColumns(body), isSystem: 0 }),
  update: async (_change, body) => ({ ...namedColumn(body.name), ...ruleColumns(body) }),
  patch: async (_change, { name, ...sent }, row) => ({
    ...(name === null || name === undefined ? {} : namedColumn(name)),
    ...ruleColumns(merged(readAuthPolicy(row), sent)),
  }),

  async beforeDelete(change, row) {
    const identityId = await identityUnder(change, row.id);
    if (identityId !== undefined) {
      const reason = `entity type authPolicies referenced by identities: [${identityId}]`;
      throw new ApiError('CAN_NOT_DELETE_REFERENCED_ENTITY', {
        cause: { field: 'authPolicyId', reason, value: identityId },
      });
    }
    if (row.isSystem === 1) {
      const message = `authPolicy ${row.id} is what identities without a policy refer to`;
      throw new ApiError('CAN_NOT_DELETE_REFERENCED_ENTITY', { cause: { code: 'UNHANDLED', message } });
    }
  },

  effects: { changed: () => ({ kind: 'changed' }), deleted: () => ({ kind: 'changed' }) },
});

function toDetail(row: PolicyRow): AuthPolicyDetail {
  return {
    id: row.id,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    tags: JSON.parse(row.tags),
    _links: { self: { href: `./auth-policies/${row.id}` } },
    name: row.name,
    ...readAuthPolicy(row),
  };
}

function namedColumn(name: string): Pick<PolicyRow, 'name'> {
  if (name === '') throw invalidField('name', 'name is required', '');
  return { name };
}

function ruleColumns({ primary: { cert, extJwt, updb }, secondary }: Rules): PolicyColumns {
  // In the API, the field names in an error cause differ from those in the JSON body.
  refuseUnknownSigner('primary.extJwt.allowedExtJwtSigners[0]', extJwt.allowedSigners[0]);
  const signer = secondary.requireExtJwtSigner || null;
  refuseUnknownSigner('secondary.requiredExtJwtSigner', signer);
  return {
    certAllowed: Number(cert.allowed),
    certAllowExpiredCerts: Number(cert.allowExpiredCerts),
    extJwtAllowed: Number(extJwt.allowed),
    extJwtAllowedSigners: JSON.stringify(extJwt.allowedSigners),
    updbAllowed: Number(updb.allowed),
    updbMinPasswordLength: Math.max(shortestPassword, updb.minPasswordLength),
    updbRequireSpecialChar: Number(updb.requireSpecialChar),
    updbRequireNumberChar: Number(updb.requireNumberChar),
    updbRequireMixedCase: Number(updb.requireMixedCase),
    updbMaxAttempts: Math.max(0, updb.maxAttempts),
    updbLockoutDurationMinutes: Math.max(0, updb.lockoutDurationMinutes),
    requireTotp: Number(secondary.requireTotp),
    requireExtJwtSigner: signer,
  };
}

/** This controller has no external JWT signers yet, so every signer id is unknown. */
function refuseUnknownSigner(field: string, value: string | null | undefined): void {
  if (value !== null && value !== undefined) {
    throw new ApiError('NOT_FOUND', { cause: { field, reason: 'not found', value } });
  }
}

/** Merges the sent members into the current rules, at every level. Absent members and null change nothing. */
function merged(current: Rules, { primary, secondary }: Pick<AuthPolicyPatch, 'primary' | 'secondary'>): Rules {
  return {
    primary: {
      cert: { ...current.primary.cert, ...withoutNulls(primary?.cert) },
      extJwt: { ...current.primary.extJwt, ...withoutNulls(primary?.extJwt) },
      updb: { ...current.primary.updb, ...withoutNulls(primary?.updb) },
    },
    secondary: { ...current.secondary, ...withoutNulls(secondary) },
  };
}

function withoutNulls<T extends object>(sent: T | null | undefined): { [K in keyof T]?: NonNullable<T[K]> } {
  const members = Object.entries(sent ?? {}).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(members) as { [K in keyof T]?: NonNullable<T[K]> };
}

async function identityUnder({ tx }: Change, authPolicyId: string): Promise<string | undefined> {
  const identity = await tx
    .selectFrom('identities')
    .select('id')
    .where('authPolicyId', '=', authPolicyId)
    .limit(1)
    .executeTakeFirst();
  return identity?.id;
}
