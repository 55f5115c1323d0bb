import { hash } from 'node:crypto';
import type { Tables } from '../storage/entity-store/entity-store.ts';

/** An entry as its table has it. */
export type StoredEntry = Tables['auditLog'];

/** An entry that has no place in the chain yet. */
export type NewEntry = Omit<StoredEntry, 'sequence' | 'hash'>;

/** The hash before the first entry. */
export const firstHash = '0'.repeat(64);

/** The columns of an entry, in the order in which they are hashed. */
export const hashedColumns = [
  ...(['sequence', 'createdAt', 'event', 'outcome', 'identityId', 'entityType', 'entityId'] as const),
  ...(['details', 'ipAddress', 'requestId'] as const),
];

/**
 * The hash of an entry: SHA-256 over the hash of the entry before, in hex, and the JSON array of the columns. JSON writes each
 * value in one way, and an array has its values apart. So two entries with the same bytes are the same entry.
 */
export function hashOf(before: string, entry: Omit<StoredEntry, 'hash'>): string {
  return hash('sha256', before + JSON.stringify(hashedColumns.map((column) => entry[column])));
}

/** Gives entries their places after the last one of the chain. */
export function chain(
  { sequence, hash: last }: Pick<StoredEntry, 'sequence' | 'hash'>,
  entries: readonly NewEntry[],
): readonly StoredEntry[] {
  let before = last;
  return entries.map((entry, at) => {
    const placed = { ...entry, sequence: sequence + at + 1 };
    before = hashOf(before, placed);
    return { ...placed, hash: before };
  });
}
