import type { Rights } from './rights.ts';
import { hasRights } from './rights.ts';

interface Asker {
  readonly clock: () => number;
  readonly settings: { readonly stepUpMaxAge: number; readonly stepUpAdministration: boolean };
  readonly session?:
    | {
        readonly record: {
          readonly createdAt: number;
          readonly mfaId: string | null;
          readonly mfaPassedAt: number | null;
        };
        readonly principal: { readonly id: string; readonly mfaId: string | null };
      }
    | undefined;
}

/**
 * Whether a session must prove again who it is before it may see or change what signs in an identity: its own one, and with
 * `edge.stepUp.administration` one with rights. The controller itself never must.
 */
export function needsStepUp(asker: Asker, owner: Rights & { readonly id: string }): boolean {
  const { session, settings } = asker;
  if (!session) return false;
  const isGuarded = owner.id === session.principal.id || (settings.stepUpAdministration && hasRights(owner));
  return isGuarded && !isProvenLately(asker);
}

/**
 * Whether the sign-in of a session, or its last code of the TOTP that its identity has now, is not older than
 * `edge.stepUp.maxAge`. Whoever has only found the token cannot repeat either.
 */
export function isProvenLately({ clock, settings, session }: Asker): boolean {
  if (!session) return false;
  const { record, principal } = session;
  const isCodeOfPresent = principal.mfaId !== null && record.mfaId === principal.mfaId;
  const proofs = [record.createdAt, ...(isCodeOfPresent ? [record.mfaPassedAt] : [])];
  // A proof from the future does not last longer: the clock was ahead.
  return proofs.some((at) => at !== null && Math.abs(clock() - at) <= settings.stepUpMaxAge);
}
