import type { AuthQueryAnswers } from '../api/auth-query.ts';
import type { Mfa } from '../api/mfa.ts';
import type { SignIn } from '../api/sign-in.ts';
import type { Epoch } from '../lib/epoch.ts';
import { lazyMembers } from '../lib/lazy-members.ts';
import type { EdgeClient } from './edge-client.ts';
import type { LazySession } from './lazy-session.ts';

export const signInCode = () => import('../sign-in/sign-in.ts');

/** The members of a client that need a session. Each loads its code at the first call. */
export function lazyParts(
  session: LazySession,
  signOuts: Epoch,
): Pick<EdgeClient, 'signIn' | 'answer' | 'mfa' | 'enroll' | 'fetch' | 'authorization'> {
  return {
    signIn: lazyMembers<SignIn>(['password', 'certificate', 'extJwt'], () => {
      // Watches from the call on, not from the moment when the code is loaded.
      const isWanted = signOuts.watch();
      return session.with(signInCode, ({ createSignIn }, parts) => createSignIn(parts, isWanted));
    }),
    answer: lazyMembers<AuthQueryAnswers>(['totp', 'extJwt', 'newPassword'], () =>
      session.with(
        () => import('../sign-in/answers.ts'),
        ({ createAnswers }, parts) => createAnswers(parts),
      ),
    ),
    mfa: lazyMembers<Mfa>(['isEnabled', 'enroll', 'recoveryCodes', 'regenerate', 'disable'], () =>
      session.with(
        () => import('../sign-in/mfa.ts'),
        ({ createMfa }, parts) => createMfa(parts),
      ),
    ),
    enroll: (enrollment, options = {}) =>
      session.with(
        () => import('../enrollment/redeem-enrollment.ts'),
        ({ redeemEnrollment }, parts) => redeemEnrollment(parts, enrollment, options),
      ),
    fetch: (input, init) =>
      session.with(
        () => import('../session/later/authenticated-fetch.ts'),
        ({ createAuthenticatedFetch }, parts) => createAuthenticatedFetch(parts)(input, init),
      ),
    authorization: (address) =>
      session.with(
        () => import('../session/later/authorization.ts'),
        ({ authorization }, parts) => authorization(parts, address),
      ),
  };
}
