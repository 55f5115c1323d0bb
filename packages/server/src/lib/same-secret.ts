import { hash, timingSafeEqual } from 'node:crypto';

/** Compares two secret texts in a time that tells nothing about where they differ. */
export function isSameSecret(one: string, other: string): boolean {
  // Digests have one length, whatever was given.
  return timingSafeEqual(hash('sha256', one, 'buffer'), hash('sha256', other, 'buffer'));
}
