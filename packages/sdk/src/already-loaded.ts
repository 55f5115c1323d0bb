/**
 * The line between what loads at once and what loads later. Code that loads later takes from here what it shares with the code that
 * is there already: then a bundler makes few files of it, and not one for each combination.
 */

export { authenticatePath, callOf, endRow, sessionPath, sessionRow } from './calls/own-calls.ts';
export { withDeadline } from './errors/deadline.ts';
export * from './errors/error-guards.ts';
export * from './errors/errors.ts';
export { checkNames } from './lib/check-names.ts';
export { didYouMean } from './lib/did-you-mean.ts';
export { originOf } from './lib/origin-of.ts';
export * from './lib/page.ts';
export { createQueue } from './lib/queue.ts';
export { retryAfter } from './lib/retry-after.ts';
export { weakCallback } from './lib/weak-callback.ts';
