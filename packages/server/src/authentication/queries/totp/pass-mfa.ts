import type { SessionCall } from '../../services.ts';

/**
 * Notes that the API session of the caller has sent a right code. Sessions whose right time has taken away end first: the code must
 * not bring them back. Returns false when the API session does not exist any more.
 */
export async function passMfa(call: SessionCall, mfaId: string): Promise<boolean> {
  const { clock, serviceSessions, session, sessions } = call;
  await serviceSessions.endLost(session.stored);
  return await sessions.update(session.stored.tokenHash, { mfaId, mfaPassedAt: clock() });
}
