import { momentText } from '../../api/moments.ts';
import type { EnrollmentDetail, EnrollmentFacts } from './enrollment-facts.ts';
import { entryOf, isExpired, validEnrollments } from './enrollment-facts.ts';

/** What mends an obstacle: a call, or a page on which the person decides. */
export type Remedy =
  | { readonly kind: 'enable' }
  | { readonly kind: 'refresh'; readonly enrollmentId: string }
  | { readonly kind: 'enroll' }
  | { readonly kind: 'withdraw'; readonly enrollmentId: string }
  | { readonly kind: 'visit'; readonly resource: 'authPolicies' | 'cas'; readonly id: string; readonly label: string };

export interface Obstacle {
  /** Why the identity cannot go on. */
  readonly text: string;
  readonly remedy: Remedy | null;
}

/** Why the identity cannot enroll or sign in. Empty: nothing that the controller knows of is in its way. */
export function obstaclesOf(facts: EnrollmentFacts): readonly Obstacle[] {
  return [
    ...disabledObstacles(facts),
    ...enrollmentObstacles(facts),
    ...caObstacles(facts),
    ...policyObstacles(facts),
    ...refusedSignIns(facts),
  ];
}

/** Enrollments that somebody may still use although the identity has an authenticator. */
export function openEnrollments({ enrollments, authenticators, identity, now }: EnrollmentFacts): readonly Obstacle[] {
  if (authenticators.length === 0) return [];
  return validEnrollments(enrollments, now).map(({ id, expiresAt, method }) => ({
    text: `The JWT of the enrollment ${methodNames[method]} is still valid: whoever has it can enroll as ${identity.name} until ${momentText(expiresAt)}.`,
    remedy: { kind: 'withdraw', enrollmentId: id },
  }));
}

function disabledObstacles(facts: EnrollmentFacts): Obstacle[] {
  const { disabled, disabledAt, disabledUntil } = facts.identity;
  if (!disabled) return [];
  const locked = entryOf(facts, 'identity.locked');
  const isLocked = locked && disabledAt && locked.createdAt >= disabledAt;
  const reason = isLocked ? 'Too many wrong passwords locked the identity' : 'The identity is disabled';
  const end = disabledUntil ? `until ${momentText(disabledUntil)}` : 'until an administrator enables it';
  const canEnroll = validEnrollments(facts.enrollments, facts.now).length > 0;
  const text = `${reason}, ${end}. It cannot sign in.${canEnroll ? ' It can still enroll.' : ''}`;
  return [{ text, remedy: { kind: 'enable' } }];
}

function enrollmentObstacles({ enrollments, authenticators, identity, now }: EnrollmentFacts): Obstacle[] {
  const isIdle = enrollments.length === 0 && authenticators.length === 0 && !identity.hasApiSession;
  if (isIdle) {
    const text =
      'It has no enrollment and no authenticator: it was deleted, or nobody has made one. Only the JWT of an external signer can sign it in.';
    return [{ text, remedy: { kind: 'enroll' } }];
  }
  return enrollments
    .filter((enrollment) => isExpired(enrollment, now))
    .map(({ id, expiresAt, method }) => ({
      text: `The enrollment ${methodNames[method]} expired on ${momentText(expiresAt)}. Its JWT is refused.`,
      remedy: { kind: 'refresh', enrollmentId: id },
    }));
}

function caObstacles({ ca, enrollments }: EnrollmentFacts): Obstacle[] {
  if (ca === null || !enrollments.some(({ caId }) => caId === ca.id)) return [];
  const { id, name, isAuthEnabled, isOttCaEnrollmentEnabled, isVerified } = ca;
  const remedy = { kind: 'visit', resource: 'cas', id, label: `Open the CA ${name}` } as const;
  return [
    ...(isVerified ? [] : [`The CA ${name} is not verified. Its certificates cannot sign in.`]),
    ...(isOttCaEnrollmentEnabled ? [] : [`The CA ${name} does not allow enrollments. The token is refused.`]),
    ...(isAuthEnabled ? [] : [`The CA ${name} does not allow sign-ins with its certificates.`]),
  ].map((text) => ({ text, remedy }));
}

function policyObstacles({ authenticators, enrollments, policy }: EnrollmentFacts): Obstacle[] {
  if (policy === null) return [];
  const { cert, updb } = policy.primary;
  const hasPassword = [...authenticators, ...enrollments].some(({ method }) => method === 'updb');
  const hasCertificate = [...authenticators, ...enrollments].some(({ method }) => method !== 'updb');
  const remedy = { kind: 'visit', resource: 'authPolicies', id: policy.id, label: 'Open the auth policy' } as const;
  return [
    ...(hasCertificate && !cert.allowed ? ['certificates'] : []),
    ...(hasPassword && !updb.allowed ? ['passwords'] : []),
  ].map((kind) => ({ text: `The auth policy ${policy.name} does not allow sign-ins with ${kind}.`, remedy }));
}

function refusedSignIns(facts: EnrollmentFacts): Obstacle[] {
  const failed = entryOf(facts, 'authentication.failed');
  const succeeded = entryOf(facts, 'authentication.succeeded');
  if (!failed || (succeeded && succeeded.sequence > failed.sequence)) return [];
  const from = failed.ipAddress ? ` from ${failed.ipAddress}` : '';
  const text = `The last sign-in${from} was refused on ${momentText(failed.createdAt)}: ${String(failed.details.reason)}.`;
  return [{ text, remedy: null }];
}

/** How a sentence goes on after "the enrollment". */
export const methodNames: Readonly<Record<EnrollmentDetail['method'], string>> = {
  ott: 'for a certificate',
  ottca: 'with a certificate of a CA',
  updb: 'for a password',
  erott: 'of an edge router',
  trott: 'of a transit router',
};
