import { ApiError, notFound } from '../api-error.ts';
import type { Change } from '../crud/define-entity.ts';
import { defineEntity } from '../crud/define-entity.ts';
import { nameTaken } from '../crud/unique.ts';
import { takenFromAdministrators } from '../lib/can-administer.ts';
import { requireAdministrator } from '../stores/administrators.ts';

const shortestPassword = 5;

export const authPolicies = defineEntity('authPolicies', {
  id: 'base62',
  fields: {
    isSystem: { absent: false },
    name: { unique: nameTaken },
    primary: { live: true },
    secondary: { live: true },
  },

  async prepare(change, { primary, secondary }) {
    const { extJwt, updb } = primary;
    const signer = secondary.requireExtJwtSigner || null;
    refuseUnknownSigner(change, 'secondary.requiredExtJwtSigner', signer);
    refuseUnknownSigner(change, 'primary.extJwt.allowedExtJwtSigners[0]', extJwt.allowedSigners[0]);
    const bounded = {
      ...updb,
      minPasswordLength: Math.max(shortestPassword, updb.minPasswordLength),
      maxAttempts: Math.max(0, updb.maxAttempts),
      lockoutDurationMinutes: Math.max(0, updb.lockoutDurationMinutes),
    };
    return { primary: { ...primary, updb: bounded }, secondary: { requireTotp: secondary.requireTotp } };
  },

  async written({ unit }, next, previous) {
    const field = previous && takenFromAdministrators(previous, next);
    if (!field) return;
    const now = unit.caller.clock();
    await requireAdministrator(unit.tx, { now, field, value: 'false' });
  },

  async beforeDelete(_change, { id, isSystem }) {
    if (!isSystem) return;
    const message = `authPolicy ${id} is what identities without a policy refer to`;
    throw new ApiError('CAN_NOT_DELETE_REFERENCED_ENTITY', { cause: { code: 'UNHANDLED', message } });
  },
});

/**
 * This controller has no external JWT signers yet, so every signer id is unknown. On the wire, only the error of a creation
 * names the field, and with another name than in the body.
 */
function refuseUnknownSigner({ verb }: Change, field: string, value: string | null | undefined): void {
  if (value === null || value === undefined) return;
  if (verb !== 'create') throw notFound('externalJwtSigner', value);
  throw new ApiError('NOT_FOUND', { cause: { field, reason: 'not found', value } });
}
