import { hash, timingSafeEqual } from 'node:crypto';

/** Compares two secrets in constant time, so that the time does not reveal where they differ. */
export function isSameSecret(one: string, other: string): boolean {
  // `timingSafeEqual` needs equal lengths, and digests have one length.
  return timingSafeEqual(hash('sha256', one, 'buffer'), hash('sha256', other, 'buffer'));
}
