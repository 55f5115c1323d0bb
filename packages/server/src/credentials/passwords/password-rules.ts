import type { UpdbRules } from '../sign-in-rules/auth-policy.ts';

type Rules = Pick<UpdbRules, 'minPasswordLength' | 'requireNumberChar' | 'requireSpecialChar' | 'requireMixedCase'>;

/**
 * Returns the first rule of an auth policy that a new password breaks, or `null`. The message has the name of the rule
 * and never the password.
 *
 * The rules apply to the normalised password (NFC), which is also the one that is hashed. The length is the number of
 * Unicode characters. A digit is any decimal digit. Mixed case means an upper-case and a lower-case letter of any
 * script. A special character is every character except letters and their marks, digits and white space.
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
