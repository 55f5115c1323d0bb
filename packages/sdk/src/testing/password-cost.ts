/** Enough for a test, and fast. What such hashes protect is gone after the test. */
export const passwordCost = { memory: 1_024, passes: 1, lanes: 1 };
