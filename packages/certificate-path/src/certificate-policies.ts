import { BrokenRule } from './broken-rule.ts';
import type { CertificateExtensions } from './certificate-extensions.ts';
import { anyPolicy } from './certificate-extensions.ts';

/**
 * The processing of policies along a path (RFC 5280, section 6.1). The caller wants no certain policy, so it is enough
 * to know which policies are valid at each step: without the tree of the RFC, which can grow without bounds (RFC 9618).
 * The counters say after how many more certificates a rule begins to apply.
 */
interface PolicyState {
  /** The policies that the next certificate may name. Empty: none is valid any more. */
  readonly valid: ReadonlySet<string>;
  readonly explicitPolicy: number;
  readonly policyMapping: number;
  readonly inhibitAnyPolicy: number;
}

/** The state below an anchor. Of its extensions, only those that restrict count. */
export function policiesBelow(anchor: CertificateExtensions): PolicyState {
  const unlimited = Number.POSITIVE_INFINITY;
  const state = { explicitPolicy: unlimited, policyMapping: unlimited, inhibitAnyPolicy: unlimited };
  return { valid: new Set([anyPolicy]), ...limited(state, anchor) };
}

/**
 * Takes the policies of the next certificate of a path (6.1.3 d to f).
 *
 * @throws BrokenRule when a policy is required and none is valid
 */
export function takePolicies(state: PolicyState, { policies }: CertificateExtensions, anyCounts: boolean): PolicyState {
  const { valid } = state;
  let next = new Set<string>();
  if (policies !== undefined) {
    next = new Set([...policies].filter((id) => id !== anyPolicy && (valid.has(id) || valid.has(anyPolicy))));
    const takesAny = policies.has(anyPolicy) && (state.inhibitAnyPolicy > 0 || anyCounts);
    if (takesAny) for (const id of valid) next.add(id);
  }
  return requirePolicy({ ...state, valid: next });
}

/** Prepares for the certificate below an intermediate (6.1.4 b, h to j). */
export function policiesBelowIntermediate(
  state: PolicyState,
  extensions: CertificateExtensions,
  selfIssued: boolean,
): PolicyState {
  const step = (counter: number) => (selfIssued ? counter : Math.max(0, counter - 1));
  const counters = {
    explicitPolicy: step(state.explicitPolicy),
    policyMapping: step(state.policyMapping),
    inhibitAnyPolicy: step(state.inhibitAnyPolicy),
  };
  return { valid: mapped(state, extensions.policyMappings ?? []), ...limited(counters, extensions) };
}

/**
 * Ends a path with its leaf (6.1.5 a, b, g).
 *
 * @throws BrokenRule when a policy is required and none is valid
 */
export function finishPolicies(state: PolicyState, { policyConstraints }: CertificateExtensions): void {
  const required = policyConstraints?.requireExplicit === 0;
  requirePolicy({ ...state, explicitPolicy: required ? 0 : Math.max(0, state.explicitPolicy - 1) });
}

function requirePolicy(state: PolicyState): PolicyState {
  if (state.explicitPolicy > 0 || state.valid.size > 0) return state;
  throw new BrokenRule('certificate-policies', 'a policy is required, and none is valid for all certificates above');
}

function mapped(
  { valid, policyMapping }: PolicyState,
  mappings: readonly (readonly [string, string])[],
): ReadonlySet<string> {
  if (mappings.length === 0) return valid;
  const next = new Set(valid);
  for (const [issuer] of mappings) next.delete(issuer);
  if (policyMapping === 0) return next;
  for (const [issuer, subject] of mappings) if (valid.has(issuer) || valid.has(anyPolicy)) next.add(subject);
  return next;
}

function limited(
  counters: Omit<PolicyState, 'valid'>,
  { policyConstraints, inhibitAnyPolicy }: CertificateExtensions,
): Omit<PolicyState, 'valid'> {
  return {
    explicitPolicy: Math.min(counters.explicitPolicy, policyConstraints?.requireExplicit ?? counters.explicitPolicy),
    policyMapping: Math.min(counters.policyMapping, policyConstraints?.inhibitMapping ?? counters.policyMapping),
    inhibitAnyPolicy: Math.min(counters.inhibitAnyPolicy, inhibitAnyPolicy ?? counters.inhibitAnyPolicy),
  };
}
