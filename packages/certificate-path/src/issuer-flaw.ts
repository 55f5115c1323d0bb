import type { ChainRule } from './broken-rule.ts';
import { BrokenRule } from './broken-rule.ts';
import { readCertificate } from './certificate.ts';
import { checkDates, checkIssuer, checkPurpose } from './role-rules.ts';

export interface IssuerOptions {
  /** DER of the certificate. */
  readonly der: Buffer;
  /** Milliseconds since 1970. `null`: the dates are not checked. */
  readonly at: number | null;
  /** As in `ChainOptions`: an issuer that has `extKeyUsage` must have it. `null`: any purpose. */
  readonly requiredExtendedKeyUsage: string | null;
}

/** The rule that a certificate breaks, and in which way. */
export interface IssuerFlaw {
  readonly rule: ChainRule;
  readonly message: string;
}

/**
 * Says why `verifyChain` would never accept a certificate as an issuer or an anchor: it cannot be read, its key is weak,
 * it is not a CA, or its restrictions exclude the purpose. Returns `null` when nothing is wrong.
 *
 * Its own signature is not checked: that of an anchor has no meaning.
 */
export function issuerFlaw({ der, at, requiredExtendedKeyUsage }: IssuerOptions): IssuerFlaw | null {
  try {
    const certificate = readCertificate(der);
    if (certificate.flaw) throw certificate.flaw;
    certificate.key?.load();
    checkIssuer(certificate);
    checkPurpose(certificate, requiredExtendedKeyUsage);
    if (at !== null) checkDates(certificate, Math.floor(at / 1000));
    return null;
  } catch (error) {
    if (!(error instanceof BrokenRule)) throw error;
    return { rule: error.rule, message: error.message };
  }
}
