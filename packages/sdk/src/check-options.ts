import { checkNames } from './check-names.ts';
import { checkTimeout } from './deadline.ts';
import { optionNames } from './option-names.ts';
import type { EdgeClientOptions } from './options.ts';

/** Refuses options that would fail later, or mean something else than they seem to. Throws `TypeError`. */
export function checkOptions(options: EdgeClientOptions): void {
  checkNames(options, optionNames, 'option');
  const { storage, timeout = 1 } = options;
  if (storage !== undefined && typeof storage?.get !== 'function') {
    throw new TypeError("storage must have get, set and remove: use webStorage('local')");
  }
  checkTimeout(timeout);
}
