import { checkBreachedPasswords } from '../../../credentials/passwords/breached-passwords.ts';
import type { DoctorCheck } from '../finding.ts';
import { problemsOf, warning } from '../finding.ts';

/** What new passwords are compared with. Those that are stored are hashes, so nobody can say which of them are common. */
export const passwords: DoctorCheck = async ({ settings: { breachedPasswords, refuseCommonPasswords } }) => {
  const problems =
    breachedPasswords === null ? [] : await checkBreachedPasswords(breachedPasswords).then(() => [], problemsOf);
  if (refuseCommonPasswords) return problems;
  const message = 'New passwords may be among the most common ones, which attackers try first';
  return [...problems, warning(message, 'refuseCommonPasswords', 'remove EDGE_REFUSE_COMMON_PASSWORDS')];
};
