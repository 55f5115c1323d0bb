import { didYouMean } from './did-you-mean.ts';

/** Refuses members that nobody reads, because they are usually spelling mistakes. Throws `TypeError`. */
export function checkNames(given: object, known: readonly string[], what: string): void {
  for (const name of Object.keys(given)) {
    if (!known.includes(name)) throw new TypeError(`unknown ${what} "${name}"${didYouMean(name, known)}`);
  }
}
