import type { Dependencies } from './dependencies.ts';
import type { MfaRow } from './mfa-row.ts';

type Owned = Pick<MfaRow, 'id' | 'identityId'>;
type WithSealer = Pick<Dependencies, 'sealer'>;

export function sealSecret({ sealer }: WithSealer, mfa: Owned, secret: string): string {
  return sealer.seal(secret, secretContext(mfa));
}

/** Returns the TOTP secret in base32. */
export function secretOf({ sealer }: WithSealer, mfa: Owned & Pick<MfaRow, 'sealedSecret'>): string {
  return sealer.open(mfa.sealedSecret, secretContext(mfa));
}

export function sealRecoveryCodes({ sealer }: WithSealer, mfa: Owned, codes: readonly string[]): string {
  return sealer.seal(JSON.stringify(codes), recoveryContext(mfa));
}

export function recoveryCodesOf({ sealer }: WithSealer, mfa: Owned & Pick<MfaRow, 'sealedRecoveryCodes'>): string[] {
  return JSON.parse(sealer.open(mfa.sealedRecoveryCodes, recoveryContext(mfa)));
}

/** Binds a sealed value to its identity, so that it cannot be opened in a record of another identity. */
function secretContext({ id, identityId }: Owned): string {
  return `${identityId} ${id} secret`;
}

function recoveryContext({ id, identityId }: Owned): string {
  return `${identityId} ${id} recovery codes`;
}
