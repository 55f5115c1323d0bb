import { ApiError } from '../api-error.ts';
import { defineEntity } from '../crud/define-entity.ts';
import { nameTaken } from '../crud/unique.ts';

const shortestPassword = 5;

export const authPolicies = defineEntity('authPolicies', {
  id: 'base62',
  fields: {
    isSystem: { absent: false },
    name: { unique: nameTaken },
    primary: { live: true },
    secondary: { live: true },
  },

  async prepare(_change, { primary, secondary }) {
    const { extJwt, updb } = primary;
    const signer = secondary.requireExtJwtSigner || null;
    // On the wire, the names in an error cause differ from those in the body.
    refuseUnknownSigner('primary.extJwt.allowedExtJwtSigners[0]', extJwt.allowedSigners[0]);
    refuseUnknownSigner('secondary.requiredExtJwtSigner', signer);
    const bounded = {
      ...updb,
      minPasswordLength: Math.max(shortestPassword, updb.minPasswordLength),
      maxAttempts: Math.max(0, updb.maxAttempts),
      lockoutDurationMinutes: Math.max(0, updb.lockoutDurationMinutes),
    };
    return { primary: { ...primary, updb: bounded }, secondary: { requireTotp: secondary.requireTotp } };
  },

  async beforeDelete(_change, { id, isSystem }) {
    if (!isSystem) return;
    const message = `authPolicy ${id} is what identities without a policy refer to`;
    throw new ApiError('CAN_NOT_DELETE_REFERENCED_ENTITY', { cause: { code: 'UNHANDLED', message } });
  },
});

/** This controller has no external JWT signers yet, so every signer id is unknown. */
function refuseUnknownSigner(field: string, value: string | null | undefined): void {
  if (value !== null && value !== undefined) {
    throw new ApiError('NOT_FOUND', { cause: { field, reason: 'not found', value } });
  }
}
