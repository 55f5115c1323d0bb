import type { clientApi } from '@edge-controller/shared-types';
import { ApiError } from '../../../../core/api-error.ts';
import { findMfa } from '../../../../credentials/mfas/mfa-record.ts';
import { endSurplus } from '../../../../sessions/end-surplus.ts';
import type { Handlers } from '../../dependencies.ts';
import { useCode } from './use-code.ts';

const notEnrolled = () => new ApiError('MFA_NOT_ENROLLED');

/** Answers the MFA query of the caller's API session. An unverified TOTP cannot answer it. */
export const answerMfa: Handlers<typeof clientApi>['authentication']['mfa'] = async (call, { body: { code } }) => {
  const { clock, serviceSessions, sessions } = call;
  const { principal, stored } = call.session;
  const mfa = await findMfa(call.database.db, principal.id);
  if (mfa?.isVerified !== 1) throw notEnrolled();
  const used = await useCode(call, { mfa, code, accepts: ['totp', 'recoveryCode'], missing: notEnrolled });
  // The code must not bring back sessions whose right time has taken away.
  await serviceSessions.endLost(stored);
  const passed = { mfaId: mfa.id, mfaPassedAt: clock() };
  if (!(await sessions.update(stored.tokenHash, passed))) throw new ApiError('UNAUTHORIZED');
  await call.audit.publish(call, 'authQuery.answered', {
    identityId: principal.id,
    apiSessionId: stored.id,
    typeId: 'MFA',
    kind: used.kind,
  });
  await endSurplus(call, { stored: { ...stored, ...passed }, principal });
};
