import type { TrustedSigner } from '../../credentials/external-jwt/trusted-signers.ts';

interface Proof {
  readonly signer: Pick<TrustedSigner, 'maxAuthAgeMinutes' | 'sessionsEndAt'>;
  /** Verified: `exp` is a number, and so is `auth_time` when the signer limits its age. */
  readonly claims: Readonly<Record<string, unknown>>;
}

/**
 * When an API session ends because the JWT that opens it does not count any more, or because its sign-in at the provider is too old. In
 * milliseconds since 1970, with the tolerance for the clock of the signer; `null`: its signer does not ask for it.
 */
export function jwtSessionEnd({ signer, claims }: Proof, tolerance: number): number | null {
  const { maxAuthAgeMinutes, sessionsEndAt } = signer;
  const { auth_time: authTime, exp } = claims;
  if (sessionsEndAt === 'EXP') return Number(exp) * 1_000 + tolerance;
  if (sessionsEndAt !== 'AUTH_AGE' || maxAuthAgeMinutes === null) return null;
  return Number(authTime) * 1_000 + maxAuthAgeMinutes * 60_000 + tolerance;
}
