import type { EdgeClientOptions } from '../api/options.ts';
import { checkTimeout } from '../errors/deadline.ts';
import { checkNames } from '../lib/check-names.ts';
import { optionNames } from './option-names.ts';

/** Refuses options that would fail later, or mean something else than they seem to. Throws `TypeError`. */
export function checkOptions(options: EdgeClientOptions): void {
  checkNames(options, optionNames, 'option');
  const { storage, timeout = 1 } = options;
  if (storage !== undefined && typeof storage?.get !== 'function') {
    throw new TypeError("storage must have get, set and remove: use webStorage('local')");
  }
  checkTimeout(timeout);
}
