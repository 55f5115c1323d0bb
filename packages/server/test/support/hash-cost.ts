import { setTimeout as sleep } from 'node:timers/promises';
import argon2 from 'argon2';
import { onTestFinished } from 'vitest';

const { hash, verify, needsRehash } = argon2;
const quick = { memoryCost: 1_024, timeCost: 1 };
/** Milliseconds. A hash of the default cost takes about as long. */
const slow = 25;
let isSlow = false;

// A password hash of the default cost takes 20 ms of a core, and a test makes many. A controller in the process of a test
// makes quick ones. Executables, and the unit test of the hasher, use the default.
argon2.hash = (async (password, options) => {
  if (isSlow) await sleep(slow);
  return hash(password, { ...options, ...quick });
}) as typeof hash;
argon2.verify = async (...given) => {
  if (isSlow) await sleep(slow);
  return verify(...given);
};

argon2.needsRehash = (digest, options) => needsRehash(digest, { ...options, ...quick });

/** Password hashes take time, but no work, until the test ends: for tests in which requests must meet while one is made. */
export function useSlowHashes(): void {
  isSlow = true;
  onTestFinished(() => {
    isSlow = false;
  });
}
