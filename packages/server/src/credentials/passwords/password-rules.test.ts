import { describe, expect, it } from 'vitest';
import { brokenPasswordRule } from './password-rules.ts';

const none = { minPasswordLength: 5, requireNumberChar: false, requireSpecialChar: false, requireMixedCase: false };

describe('password rules', () => {
  it.each([
    ['only the length rule', {}, 'plain', null],
    ['too short', { minPasswordLength: 8 }, 'seven77', 'minPasswordLength'],
    ['long enough', { minPasswordLength: 8 }, 'eight888', null],
    ['four emoji are four characters', { minPasswordLength: 5 }, '😀😀😀😀', 'minPasswordLength'],
    [
      'a letter with a combining accent is one character',
      { minPasswordLength: 5 },
      'e\u0301e\u0301e\u0301',
      'minPasswordLength',
    ],
    ['no digit', { requireNumberChar: true }, 'letters', 'requireNumberChar'],
    ['a Latin digit', { requireNumberChar: true }, 'letters7', null],
    ['an Arabic digit', { requireNumberChar: true }, 'letters٧', null],
    ['a superscript is not a digit', { requireNumberChar: true }, 'letters²', 'requireNumberChar'],
    ['letters, digits and blanks are not special', { requireSpecialChar: true }, 'a 1 b\t2', 'requireSpecialChar'],
    ['letters of any script are not special', { requireSpecialChar: true }, 'пароль', 'requireSpecialChar'],
    ['vowel signs are not special', { requireSpecialChar: true }, 'हिन्दी में', 'requireSpecialChar'],
    ['punctuation is special', { requireSpecialChar: true }, 'letters!', null],
    ['an emoji is special', { requireSpecialChar: true }, 'letters😀', null],
    ['lower case only', { requireMixedCase: true }, 'letters', 'requireMixedCase'],
    ['upper case only', { requireMixedCase: true }, 'LETTERS', 'requireMixedCase'],
    ['mixed case', { requireMixedCase: true }, 'Letters', null],
    ['mixed case of another script', { requireMixedCase: true }, 'Пароль', null],
    ['letters without case', { requireMixedCase: true }, '漢字漢字漢字', 'requireMixedCase'],
  ] as const)('%s', (_what, rules, password, broken) => {
    const reason = brokenPasswordRule({ ...none, ...rules }, password);
    if (broken === null) {
      expect(reason).toBeNull();
    } else {
      expect(reason).toContain(broken);
      expect(reason).not.toContain(password);
    }
  });
});
