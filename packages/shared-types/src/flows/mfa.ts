import { z } from 'zod';
import { define } from '../definitions.ts';
import { baseEntity } from '../envelope.ts';
import { defineResource } from '../operation.ts';

/** A TOTP code (six digits, RFC 6238). Some operations also accept a recovery code. */
export const mfaCode = define('mfaCode', z.object({ code: z.string() }));

/** The same code in a request header, for operations without a body. */
const mfaCodeHeader = z.object({ 'mfa-validation-code': z.string().optional() });

/** The TOTP of the caller. Only an unverified TOTP has `provisioningUrl` (with the secret) and the recovery codes. */
export const detailMfa = define(
  'detailMfa',
  z.object({
    ...baseEntity,
    isVerified: z.boolean(),
    recoveryCodes: z.array(z.string()).nullable(),
    provisioningUrl: z.string().optional(),
  }),
);

/** The recovery codes that are not used yet. */
export const detailMfaRecoveryCodes = define(
  'detailMfaRecoveryCodes',
  z.object({ ...baseEntity, recoveryCodes: z.array(z.string()) }),
);

export type DetailMfa = z.output<typeof detailMfa>;
export type DetailMfaRecoveryCodes = z.output<typeof detailMfaRecoveryCodes>;

/** There is no TOTP in the state that the operation needs, or too many codes were wrong. */
const asksForCode = ['NOT_FOUND', 'SERVER_TOO_MANY_REQUESTS'] as const;

/** The TOTP of the caller: enrollment, codes and recovery codes. */
export const currentIdentityMfa = defineResource({
  create: {
    method: 'POST',
    path: '/current-identity/mfa',
    access: 'partial',
    result: 'create',
    errors: ['MFA_EXISTS'],
    summary: 'Starts the TOTP enrollment of the caller',
  },
  get: {
    method: 'GET',
    path: '/current-identity/mfa',
    access: 'partial',
    result: 'detail',
    response: detailMfa,
    errors: ['NOT_FOUND'],
    summary: 'Reads the TOTP of the caller',
  },
  delete: {
    method: 'DELETE',
    path: '/current-identity/mfa',
    access: 'full',
    result: 'empty',
    headers: mfaCodeHeader,
    errors: asksForCode,
    summary: 'Removes the TOTP of the caller; a verified one asks for a TOTP or recovery code',
  },
  verify: {
    method: 'POST',
    path: '/current-identity/mfa/verify',
    access: 'partial',
    result: 'empty',
    body: mfaCode,
    errors: asksForCode,
    summary: 'Completes the TOTP enrollment of the caller with a first code',
  },
  qrCode: {
    method: 'GET',
    path: '/current-identity/mfa/qr-code',
    access: 'partial',
    result: 'document',
    produces: ['image/png'],
    errors: ['NOT_FOUND'],
    summary: 'Shows the provisioning URL of an unverified TOTP as a QR code',
  },
  recoveryCodes: {
    method: 'GET',
    path: '/current-identity/mfa/recovery-codes',
    access: 'full',
    result: 'detail',
    headers: mfaCodeHeader,
    response: detailMfaRecoveryCodes,
    errors: asksForCode,
    summary: 'Reads the recovery codes that are left; asks for a TOTP code',
  },
  createRecoveryCodes: {
    method: 'POST',
    path: '/current-identity/mfa/recovery-codes',
    access: 'full',
    result: 'empty',
    body: mfaCode,
    errors: asksForCode,
    summary: 'Replaces all recovery codes; asks for a TOTP or recovery code',
  },
});
