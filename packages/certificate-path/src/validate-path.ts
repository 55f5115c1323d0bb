import { BrokenRule } from './broken-rule.ts';
import type { Certificate } from './certificate.ts';
import { finishPolicies, policiesBelow, policiesBelowIntermediate, takePolicies } from './certificate-policies.ts';
import type { GeneralName } from './general-name.ts';
import type { NameConstraints } from './name-constraints.ts';
import { checkNames } from './name-constraints.ts';
import { checkDates, checkLeaf, checkNotZero, checkPurpose } from './role-rules.ts';

interface PathOptions {
  /** Seconds since 1970. */
  readonly at: number;
  readonly purpose: string | null;
  readonly leafDates: 'checked' | 'ignored';
  readonly spendComparisons: (count: number) => void;
}

/** The index of a certificate in its path, and the rule that it breaks. */
export interface PathFailure {
  readonly position: number;
  readonly broken: BrokenRule;
}

/**
 * Validates a path from the leaf to an anchor (RFC 5280, section 6.1). Its signatures are verified, its names are
 * chained, and each issuer has passed `checkIssuer` and `checkDates`. Returns `null` when the path is valid.
 */
export function validatePath(path: readonly Certificate[], options: PathOptions): PathFailure | null {
  let position = path.length - 1;
  try {
    const walk = startWalk(path, options);
    for (; position >= 0; position -= 1) walk(position);
    return null;
  } catch (error) {
    if (!(error instanceof BrokenRule) || error.rule === 'too-much-work') throw error;
    return { position, broken: error };
  }
}

/** Returns the function that takes one certificate after the other, from the anchor to the leaf. */
function startWalk(path: readonly Certificate[], options: PathOptions): (position: number) => void {
  const layers: NameConstraints[] = [];
  let issuersLeft = Number.POSITIVE_INFINITY;
  let policies = policiesBelow({});

  return (position) => {
    const certificate = path[position];
    if (certificate === undefined) return;
    const { extensions } = certificate;
    const isAnchor = position === path.length - 1;
    const isLeaf = position === 0;
    const selfIssued = certificate.issuer.key === certificate.subject.key;

    checkPurpose(certificate, options.purpose);
    if (isAnchor) policies = policiesBelow(extensions);
    else {
      checkNotZero(certificate);
      if (isLeaf || !selfIssued) checkNames(namesOf(certificate), layers, options.spendComparisons);
      policies = takePolicies(policies, extensions, selfIssued && !isLeaf);
    }
    if (isLeaf) {
      checkLeaf(certificate);
      finishPolicies(policies, extensions);
      if (options.leafDates === 'checked') checkDates(certificate, options.at);
      return;
    }

    if (!isAnchor && !selfIssued) {
      if (issuersLeft === 0) throw new BrokenRule('path-length', 'more issuers than one above allows below itself');
      issuersLeft -= 1;
    }
    issuersLeft = Math.min(issuersLeft, extensions.basicConstraints?.pathLength ?? issuersLeft);
    if (!isAnchor) policies = policiesBelowIntermediate(policies, extensions, selfIssued);
    if (extensions.nameConstraints) layers.push(extensions.nameConstraints);
  };
}

/** All names of the subject. Addresses in the subject count like those in subjectAltName (section 4.2.1.10). */
function namesOf({ subject, extensions }: Certificate): GeneralName[] {
  const names: GeneralName[] = [...(extensions.subjectAltNames?.names ?? [])];
  if (subject.rdns.length > 0) names.push({ form: 'directoryName', value: subject });
  for (const value of subject.emails) names.push({ form: 'email', value });
  return names;
}
