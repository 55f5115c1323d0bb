import { randomFillSync } from 'node:crypto';

// Random bytes are much cheaper when many are made at once.
const pool = Buffer.alloc(4_096);
let used = pool.length;

/** Returns random bytes that nobody else gets. They are valid until the caller returns to the event loop. */
export function takeRandom(length: number): Buffer {
  if (used + length > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += length;
  return pool.subarray(used - length, used);
}
