import { ApiError } from '../../../../core/api-error.ts';
import { createMfa, findMfa } from '../../../../credentials/mfas/mfa-record.ts';
import type { MfaRow } from '../../../../credentials/mfas/mfa-row.ts';
import { secretOf } from '../../../../credentials/mfas/sealed-members.ts';
import type { SessionCall } from '../../dependencies.ts';
import { newRecoveryCodes } from './recovery-codes.ts';
import { newSecret, provisioningUrl } from './totp.ts';

/**
 * A partial session may begin, read or verify an enrollment only when a TOTP is required of it. Otherwise
 * somebody with one factor of several could enroll another one without the knowledge of the owner.
 *
 * @throws 401 `UNAUTHORIZED` in a partial session of an identity that has no TOTP and needs none
 */
export function checkMayEnroll({ session: { principal, state } }: SessionCall): void {
  const isNeeded = state.authQueries.some(({ typeId }) => typeId === 'MFA');
  // With a TOTP, the record itself refuses another one.
  if (state.authQueries.length === 0 || isNeeded || principal.mfaId !== null) return;
  throw new ApiError('UNAUTHORIZED');
}

/**
 * Starts the TOTP enrollment of the caller and returns the id of the record.
 *
 * @throws 401 as `checkMayEnroll`, 409 `MFA_EXISTS` when there is a verified record or an unverified one of this session
 */
export async function createOwnMfa(call: SessionCall): Promise<string> {
  checkMayEnroll(call);
  return await createMfa(call, {
    identityId: call.session.principal.id,
    sessionId: call.session.stored.id,
    secret: newSecret(),
    recoveryCodes: newRecoveryCodes(),
  });
}

/**
 * Returns the TOTP of the caller. Only the API session that started an enrollment sees it before it is verified.
 *
 * @throws 401 for an unverified one, as `checkMayEnroll`
 */
export async function findOwnMfa(call: SessionCall): Promise<MfaRow | undefined> {
  const { database, session } = call;
  const mfa = await findMfa(database.db, session.principal.id);
  if (mfa?.isVerified === 1) return mfa;
  if (mfa?.sessionId !== session.stored.id) return undefined;
  checkMayEnroll(call);
  return mfa;
}

export function provisioningUrlOf(call: SessionCall, mfa: MfaRow): string {
  const { totpIssuer: issuer, totpLabel: label } = call.settings;
  return provisioningUrl({ issuer, label, identity: call.session.principal, secret: secretOf(call, mfa) });
}
