import type { Settings } from '../../core/config/schema.ts';

/** Characters that a password needs besides the words. */
export const charactersBesides = 8;
/** Shorter words are parts of many others. */
const shortestWord = 4;

/** The names of the product, as people write them. */
const product = ['edge', 'controller', 'openziti', 'ziti'];

type Names = Pick<Settings, 'passwordWords' | 'totpIssuer' | 'address'> & { readonly trustDomain: string };

/** Words that everybody knows who knows the network and the user. */
export function contextWords(username: string, { passwordWords, totpIssuer, address, trustDomain }: Names): string[] {
  const host = address?.replace(/:\d+$/, '') ?? '';
  const names = [username, ...passwordWords, totpIssuer, host, trustDomain];
  const parts = [username, totpIssuer, host, trustDomain].flatMap((name) => name.split(/[^\p{L}\p{N}]+/u));
  return [...names, ...parts.filter((part) => part.length >= shortestWord), ...product]
    .map(fold)
    .filter((word) => word !== '');
}

/** Whether a password has hardly more than words. A longer word goes first, so that what it contains is not left over. */
export function isMadeOfWords(password: string, words: readonly string[]): boolean {
  const folded = fold(password);
  const rest = words.toSorted((a, b) => b.length - a.length).reduce((text, word) => text.replaceAll(word, ''), folded);
  return rest !== folded && [...rest].length < charactersBesides;
}

function fold(text: string): string {
  return text.normalize('NFC').toLowerCase();
}
