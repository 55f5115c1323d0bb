/**
 * What the files that are loaded later share with those that are loaded before: the first one, and that of the session. They import it
 * from here only, so that a bundler makes few files of it and not one for each combination.
 */

export { checkNames } from './check-names.ts';
export { withDeadline } from './deadline.ts';
export { didYouMean } from './did-you-mean.ts';
export * from './error-guards.ts';
export * from './errors.ts';
export { originOf } from './origin-of.ts';
export * from './page.ts';
export { retryAfter } from './retry-after.ts';
export { authenticatePath } from './sender.ts';
export { callOf, endRow, sessionPath, sessionRow } from './session-calls.ts';
export { exclusiveOf } from './storage/exclusive-of.ts';
export { weakly } from './weakly.ts';
