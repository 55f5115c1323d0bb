/**
 * The border between code that loads at once and code that loads later. Later code imports from here what both of them share. A
 * bundler then makes few files of it, instead of one for each combination.
 */

export {
  authenticatePath,
  callOf,
  endRow,
  isSignIn,
  lookQuery,
  sessionPath,
  sessionRow,
} from './calls/own-calls.ts';
export { withDeadline } from './errors/deadline.ts';
export * from './errors/error-guards.ts';
export * from './errors/errors.ts';
export { loadCode } from './errors/load-code.ts';
export { absoluteUrl } from './lib/absolute-url.ts';
export { checkNames } from './lib/check-names.ts';
export { didYouMean } from './lib/did-you-mean.ts';
export { expiresIn } from './lib/expires-in.ts';
export { originOf } from './lib/origin-of.ts';
export * from './lib/page.ts';
export { createQueue } from './lib/queue.ts';
export { retryAfter } from './lib/retry-after.ts';
export { weakCallback } from './lib/weak-callback.ts';
