import type { ChainOptions, InvalidChain, ValidChain } from '@edge-controller/certificate-path';
import { extendedKeyUsages, verifyChain } from '@edge-controller/certificate-path';
import { basicConstraints, digitalSignature, keyCertSign, keyUsage } from './certificate-extensions.ts';
import type { Authority, Template } from './certificate-writer.ts';
import { now, write } from './certificate-writer.ts';

type Changes = Partial<Omit<Template, 'issuer'>>;

/** The extensions that every issuer has, unless a test says otherwise. */
export const issuerExtensions = [basicConstraints(true), keyUsage(keyCertSign)];
export const leafExtensions = [basicConstraints(false), keyUsage(digitalSignature)];

export const writeRoot = (changes: Changes = {}): Authority => {
  return write({ issuer: null, subject: 'root', extensions: issuerExtensions, ...changes });
};
export const writeIntermediate = (issuer: Authority, changes: Changes = {}): Authority => {
  return write({ issuer, subject: 'intermediate', extensions: issuerExtensions, ...changes });
};
export const writeLeaf = (issuer: Authority, changes: Changes = {}): Authority => {
  return write({ issuer, subject: 'leaf', extensions: leafExtensions, ...changes });
};

/** Verifies a chain: the leaf, then its issuers up to the anchor. */
export function verify(
  [leaf, ...issuers]: readonly Authority[],
  options: Partial<ChainOptions> = {},
): ValidChain | InvalidChain {
  const anchor = issuers.at(-1);
  return verifyChain({
    leaf: leaf!.der,
    bag: issuers.slice(0, -1).map((issuer) => issuer.der),
    anchors: anchor ? [anchor.der] : [],
    at: now,
    requiredExtendedKeyUsage: extendedKeyUsages.clientAuth,
    ...options,
  });
}

/** `valid`, or the rule that is broken and the index of the certificate that breaks it. */
export function outcome(chain: ValidChain | InvalidChain): string {
  return chain.valid ? 'valid' : `${chain.rule} at ${chain.position}`;
}
