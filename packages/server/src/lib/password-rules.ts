import type { UpdbRules } from '../entities/auth-policy.ts';

type Rules = Pick<UpdbRules, 'minPasswordLength' | 'requireNumberChar' | 'requireSpecialChar' | 'requireMixedCase'>;

/**
 * What an auth policy finds missing in a new password, in words that name the rule and never quote the password; `null`
 * when nothing is.
 *
 * Judged is the normalised form (NFC) that is hashed. Length counts Unicode characters, a digit is any decimal digit,
 * mixed case means an upper and a lower case letter of any script, and a special character is whatever is neither
 * letter (with its marks) nor digit nor whitespace.
 */
export function brokenPasswordRule(rules: Rules, password: string): string | null {
  const text = password.normalize('NFC');
  if ([...text].length < rules.minPasswordLength) {
    return `password should be at least ${rules.minPasswordLength} chars long (minPasswordLength)`;
  }
  if (rules.requireNumberChar && !/\p{Nd}/u.test(text)) return 'password should have a digit (requireNumberChar)';
  if (rules.requireSpecialChar && !/[^\p{L}\p{M}\p{Nd}\s]/u.test(text)) {
    return 'password should have a special character (requireSpecialChar)';
  }
  if (rules.requireMixedCase && !(/\p{Lu}/u.test(text) && /\p{Ll}/u.test(text))) {
    return 'password should have an upper and a lower case letter (requireMixedCase)';
  }
  return null;
}
