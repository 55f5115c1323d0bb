import type { Settings } from '../../core/config/schema.ts';
import { isInFile } from './breached-passwords.ts';
import { isCommonPassword } from './common-passwords.ts';
import { charactersBesides, contextWords, isMadeOfWords } from './context-words.ts';

export interface Guessable {
  /**
   * Returns why somebody could guess a new password, or `null`. The message has the name of the rule and never the password.
   *
   * @throws an error of the file system when the file of breached passwords cannot be read
   */
  reasonOf(account: { readonly username: string; readonly password: string }): Promise<string | null>;
}

type GuessSettings = Pick<
  Settings,
  'refuseCommonPasswords' | 'passwordWords' | 'breachedPasswords' | 'totpIssuer' | 'address'
>;

/** The rules for new passwords that are the same for all auth policies. Settings are read at each password. */
export function createGuessable(settings: GuessSettings, { trustDomain }: { readonly trustDomain: string }): Guessable {
  return {
    async reasonOf({ username, password }) {
      const { refuseCommonPasswords, breachedPasswords } = settings;
      if (refuseCommonPasswords) {
        if (isMadeOfWords(password, contextWords(username, { ...settings, trustDomain }))) {
          return `password should have ${charactersBesides} characters besides the user name and the names of the network (contextWords)`;
        }
        if (await isCommonPassword(password)) return 'password is one of the most common (commonPasswords)';
      }
      if (breachedPasswords !== null && (await isInFile(breachedPasswords, password))) {
        return 'password is in a list of breached passwords (breachedPasswords)';
      }
      return null;
    },
  };
}
