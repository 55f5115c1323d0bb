import argon2 from 'argon2';
import { onTestFinished } from 'vitest';

const { hash } = argon2;
const quick = { memoryCost: 1_024, timeCost: 1 };
let cost: Partial<typeof quick> = quick;

// A password hash of the default cost takes 20 ms of a core, and a test makes many. A controller in the process of a test
// makes quick ones. Executables, and the unit test of the hasher, use the default.
argon2.hash = ((password, options) => hash(password, { ...options, ...cost })) as typeof hash;

/** Password hashes have the default cost until the test ends: for tests in which requests must meet while one is made. */
export function useFullHashCost(): void {
  cost = {};
  onTestFinished(() => {
    cost = quick;
  });
}
