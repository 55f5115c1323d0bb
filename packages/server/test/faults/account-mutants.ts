import type { SignInMutant } from './mutant.ts';
import { change } from './mutant.ts';

const totpQuery = 'authentication/queries/totp/totp-query.ts';
const oneFactor = 'mfas/without-second-factor.ts';

/** Each makes it easier to take over an account. */
export const accountMutants: readonly SignInMutant[] = [
  {
    mutant: 'asks no administrator for a second factor',
    mutations: change(totpQuery, 'return hasRights && settings', 'return !hasRights && settings'),
    tests: ['second-factor-of-administrators', 'auth-state.test'],
  },
  {
    mutant: 'takes a TOTP that was never verified for a second factor',
    mutations: change(oneFactor, 'and m."isVerified" = 1', ''),
    tests: ['second-factor-of-administrators'],
  },
  {
    mutant: 'does not name whoever has permissions alone',
    mutations: change(oneFactor, 'where "permissions" is not null', 'where "isAdmin" = 1'),
    tests: ['second-factor-of-administrators'],
  },
];
