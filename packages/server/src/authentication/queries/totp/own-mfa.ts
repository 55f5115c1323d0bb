import type { SessionCall } from '../../../call.ts';
import type { MfaRow } from '../../../mfas/mfa-record.ts';
import { createMfa, findMfa } from '../../../mfas/mfa-record.ts';
import { secretOf } from '../../../mfas/sealed-members.ts';
import { newRecoveryCodes } from './recovery-codes.ts';
import { newSecret, provisioningUrl } from './totp.ts';

/**
 * Starts the TOTP enrollment of the caller and returns the id of the record.
 *
 * @throws 409 `MFA_EXISTS` when there is a verified record or an unverified one of this session
 */
export function createOwnMfa(call: SessionCall): Promise<string> {
  return createMfa(call, {
    identityId: call.session.principal.id,
    sessionId: call.session.stored.id,
    secret: newSecret(),
    recoveryCodes: newRecoveryCodes(),
  });
}

/** Returns the TOTP of the caller. Only the API session that started an enrollment sees it before it is verified. */
export async function findOwnMfa({ entities, session }: SessionCall): Promise<MfaRow | undefined> {
  const mfa = await findMfa(entities.db, session.principal.id);
  return mfa?.isVerified === 1 || mfa?.sessionId === session.stored.id ? mfa : undefined;
}

export function provisioningUrlOf(call: SessionCall, mfa: MfaRow): string {
  const { totpIssuer: issuer, totpLabel: label } = call.settings;
  return provisioningUrl({ issuer, label, identity: call.session.principal, secret: secretOf(call, mfa) });
}
