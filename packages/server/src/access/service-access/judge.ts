import { checkKinds } from '../posture/checks/index.ts';
import type { PostureFacts } from '../posture/posture-check.ts';
import type { ServicePolicy } from './load-access.ts';
import type { Access } from './service-access.ts';

/** What an identity wants to do with a service. */
export type AccessType = ServicePolicy['type'];

/**
 * Whether an API session may use a service.
 *
 * - `unknown`: there is no such service, or no policy gives its identity anything of it
 * - `other type`: policies let the identity use it in another way
 * - `failing`: policies would let it, but posture checks of each do not pass
 * - `passing`: these policies let it
 */
export type Judgement =
  | { readonly kind: 'unknown' | 'other type' }
  | { readonly kind: 'failing' | 'passing'; readonly policies: readonly ServicePolicy[] };

/** Judges a right. One policy whose posture checks all pass is enough. `facts`: none are needed when `needsFacts` says so. */
export function judge({ service, policies }: Access, type: AccessType, facts: PostureFacts | null): Judgement {
  if (!service || policies.length === 0) return { kind: 'unknown' };
  const ofType = policies.filter((policy) => policy.type === type);
  if (ofType.length === 0) return { kind: 'other type' };
  const passing = ofType.filter(({ checks }) => checks.length === 0 || (facts !== null && allPass(checks, facts)));
  return passing.length > 0 ? { kind: 'passing', policies: passing } : { kind: 'failing', policies: ofType };
}

/** Whether a right depends on what is known of the device. */
export function needsFacts({ policies }: Access, type: AccessType): boolean {
  return policies.some((policy) => policy.type === type && policy.checks.length > 0);
}

function allPass(checks: ServicePolicy['checks'], facts: PostureFacts): boolean {
  return checks.every((check) => checkKinds[check.typeId].evaluate(check, facts).isPassing);
}
