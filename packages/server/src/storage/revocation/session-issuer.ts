import type { ApiSessionRecord } from '../session-store/session-store.ts';

/**
 * Who has issued what an API session was opened with: a certificate of a third-party CA, or a JWT of an external signer.
 * The session ends with it.
 */
export interface SessionIssuer {
  readonly kind: 'ca' | 'signer';
  readonly id: string;
  /** Its `authVersion` at the sign-in. */
  readonly version: number;
}

/** `null`: the session was opened with a password, or with a certificate of the network. */
export function issuerOf({ caId, caVersion, signerId, signerVersion }: ApiSessionRecord): SessionIssuer | null {
  // Sessions of an older version do not have the members.
  if (caId) return { kind: 'ca', id: caId, version: caVersion };
  return signerId ? { kind: 'signer', id: signerId, version: signerVersion } : null;
}

/** Whether an issuer is still what it was at the sign-in. `undefined`: it signs nobody in now. */
export function isUnchanged({ version }: SessionIssuer, now: { readonly authVersion: number } | undefined): boolean {
  return version === now?.authVersion;
}
