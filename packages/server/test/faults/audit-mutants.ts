import type { SignInMutant } from './mutant.ts';
import { change } from './mutant.ts';

/** Sign-outs while the session store cannot be read. */
export const signOutMutants: readonly SignInMutant[] = [
  {
    mutant: 'forgets who signs out while the session cannot be read',
    mutations: change(
      'http/operations/session.ts',
      'if (isUnavailable(error)) await unreadSignOuts.note(',
      'if (error === null) await unreadSignOuts.note(',
    ),
    tests: ['sign-out-outage'],
  },
  {
    mutant: 'notes as many sign-outs of an address as it sends',
    mutations: change('sessions/unread-sign-outs.ts', ' || ofAddress >= mostOfAddress', ''),
    tests: ['sign-out-outage'],
  },
  {
    mutant: 'leaves sessions in the store whose owners signed out without it',
    mutations: change('revocation/outbox.ts', 'if (signedOut.length > 0) await options.endSignedOut(signedOut);', ''),
    tests: ['sign-out-outage'],
  },
];
