import { BrokenRule } from './broken-rule.ts';
import type { Certificate } from './certificate.ts';
import { keyUsages } from './certificate-extensions.ts';

const anyExtendedKeyUsage = '2.5.29.37.0';

/**
 * Checks what a certificate needs to issue others, apart from its dates (RFC 5280, sections 4.2.1.3, 4.2.1.9 and 6.1.4
 * k, n). Anchors are no exception: their restrictions apply, too.
 *
 * @throws BrokenRule
 */
export function checkIssuer({ version, extensions }: Certificate): void {
  const { basicConstraints, keyUsage } = extensions;
  if (version !== 3) throw new BrokenRule('version', `an issuer of version ${version}`);
  if (!basicConstraints?.ca || !basicConstraints.critical) {
    throw new BrokenRule('not-a-ca', 'an issuer without critical basicConstraints with CA:TRUE');
  }
  if (keyUsage !== undefined && !(keyUsage & keyUsages.keyCertSign)) {
    throw new BrokenRule('key-usage', 'an issuer that may not sign certificates');
  }
}

/**
 * Checks what the owner of a certificate needs to sign in with it, apart from its dates.
 *
 * @throws BrokenRule
 */
export function checkLeaf({ extensions }: Certificate): void {
  const { basicConstraints, keyUsage, nameConstraints } = extensions;
  const maySign = keyUsage !== undefined && (keyUsage & keyUsages.keyCertSign) !== 0;
  if (basicConstraints?.ca || maySign) throw new BrokenRule('ca-as-leaf', 'a leaf that may issue certificates');
  if (nameConstraints) throw new BrokenRule('malformed-extension', 'nameConstraints in a certificate that is no CA');
  if (keyUsage !== undefined && !(keyUsage & keyUsages.digitalSignature)) {
    throw new BrokenRule('key-usage', 'a leaf that may not make signatures');
  }
}

/**
 * Both ends are inclusive (RFC 5280, section 4.1.2.5).
 *
 * @param at seconds since 1970
 * @throws BrokenRule
 */
export function checkDates({ notBefore, notAfter }: Certificate, at: number): void {
  const day = (seconds: number) => new Date(seconds * 1000).toISOString();
  if (!(at >= notBefore)) throw new BrokenRule('not-yet-valid', `valid from ${day(notBefore)}`);
  if (!(at <= notAfter)) throw new BrokenRule('expired', `valid until ${day(notAfter)}`);
}

/**
 * Checks extKeyUsage: a certificate without it serves all purposes. In an issuer it restricts all certificates below.
 *
 * @param purpose an object identifier; `null` checks nothing
 * @throws BrokenRule
 */
export function checkPurpose({ extensions: { extendedKeyUsages } }: Certificate, purpose: string | null): void {
  if (purpose === null || extendedKeyUsages === undefined) return;
  if (extendedKeyUsages.includes(purpose) || extendedKeyUsages.includes(anyExtendedKeyUsage)) return;
  throw new BrokenRule('extended-key-usage', `extKeyUsage without ${purpose}`);
}

/** Zero is accepted in an anchor: it was chosen by hand, and old ones have it. @throws BrokenRule */
export function checkNotZero({ serialNumber }: Certificate): void {
  if (serialNumber.length === 1 && serialNumber[0] === 0) throw new BrokenRule('serial-number', 'the serial number 0');
}
