import { momentText } from '../../api/moments.ts';
import type { EnrollmentFacts } from './enrollment-facts.ts';
import { entryOf, validEnrollments } from './enrollment-facts.ts';

export interface PathStep {
  readonly title: string;
  /** `next`: what has to happen now. `open`: what may still happen. `stuck`: what cannot happen as things are. */
  readonly state: 'done' | 'next' | 'open' | 'stuck' | 'later';
  readonly text: string;
}

const handedOut = 'JWT handed out';
const noJwt = 'No valid JWT';

/** The way of an identity from its creation to its first sign-in, with how far it is. */
export function enrollmentPath(facts: EnrollmentFacts): readonly PathStep[] {
  const { createdAt } = facts.identity;
  const created = { title: 'Created', state: 'done', text: momentText(createdAt) } as const;
  return [created, ...waitingSteps(facts), signInStep(facts)];
}

function waitingSteps(facts: EnrollmentFacts): readonly PathStep[] {
  const { authenticators } = facts;
  if (authenticators.length === 0) return [handOverStep(facts), ...unredeemedSteps(facts)];
  const redeemed = entryOf(facts, 'enrollment.redeemed');
  const credentials = authenticators.map(({ method, username }) =>
    method === 'updb' ? `password of ${username}` : 'certificate',
  );
  return [
    usedJwtStep(facts, redeemed !== undefined),
    {
      title: 'Redeemed',
      state: 'done',
      text: redeemed
        ? `${momentText(redeemed.createdAt)}${redeemed.ipAddress ? ` from ${redeemed.ipAddress}` : ''}`
        : 'The audit log no longer says when, or an administrator has set the credential.',
    },
    { title: 'Authenticator', state: 'done', text: capitalized([...new Set(credentials)].join(', ')) },
  ];
}

/** The JWT of an identity that has an authenticator. */
function usedJwtStep({ enrollments, now }: EnrollmentFacts, isRedeemed: boolean): PathStep {
  const [valid] = validEnrollments(enrollments, now);
  if (valid !== undefined) {
    const text = `Somebody may still enroll with it until ${momentText(valid.expiresAt)}.`;
    return { title: handedOut, state: 'open', text };
  }
  if (isRedeemed) return { title: handedOut, state: 'done', text: 'It was used.' };
  return { title: noJwt, state: 'done', text: 'None is needed any more.' };
}

function handOverStep({ enrollments, now }: EnrollmentFacts): PathStep {
  if (enrollments.length === 0) return { title: noJwt, state: 'stuck', text: 'There is no enrollment.' };
  const [valid] = validEnrollments(enrollments, now);
  if (valid === undefined) return { title: noJwt, state: 'stuck', text: 'The JWT has expired.' };
  const text = valid.method === 'updb' ? 'Give the link to the person' : 'Give the JWT to the device';
  return { title: handedOut, state: 'next', text: `${text} before ${momentText(valid.expiresAt)}.` };
}

function unredeemedSteps({ enrollments }: EnrollmentFacts): readonly PathStep[] {
  const isPassword = enrollments.length > 0 && enrollments.every(({ method }) => method === 'updb');
  const redeemed = isPassword ? 'The person opens the link, once.' : 'The device sends the token of the JWT, once.';
  return [
    { title: 'Redeemed', state: 'later', text: redeemed },
    { title: 'Authenticator', state: 'later', text: isPassword ? 'The person sets a password.' : 'A certificate.' },
  ];
}

function signInStep(facts: EnrollmentFacts): PathStep {
  const title = 'Signed in';
  const { authenticators, identity } = facts;
  const succeeded = entryOf(facts, 'authentication.succeeded');
  if (identity.hasApiSession) return { title, state: 'done', text: 'It has a session now.' };
  if (succeeded) return { title, state: 'done', text: `Last on ${momentText(succeeded.createdAt)}` };
  if (identity.disabled) return { title, state: 'stuck', text: 'The identity is disabled.' };
  if (authenticators.length === 0) return { title, state: 'later', text: 'After the enrollment.' };
  const failed = entryOf(facts, 'authentication.failed');
  if (failed) return { title, state: 'stuck', text: `Refused on ${momentText(failed.createdAt)}` };
  return { title, state: 'next', text: 'It has a credential and may sign in.' };
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
