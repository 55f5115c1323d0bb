import { didYouMean } from './did-you-mean.ts';

/** Refuses a name that nobody knows, because it is usually a spelling mistake. Throws `TypeError`. */
export function checkName(name: string, known: readonly string[], what: string): void {
  if (!known.includes(name)) throw new TypeError(`unknown ${what} "${name}"${didYouMean(String(name), known)}`);
}

/** Refuses members that nobody reads. Throws `TypeError`. */
export function checkNames(given: object, known: readonly string[], what: string): void {
  for (const name of Object.keys(given)) checkName(name, known, what);
}
