import type { Kysely } from 'kysely';
import { inValues } from '../../storage/database/sql/select-values.ts';
import type { EntityStore, Tables } from '../../storage/entity-store/entity-store.ts';

/** Characters. */
const maxNameLength = 500;

/**
 * The names that are tried, in order. As on the wire, a counter of 6 digits is put behind a name that is taken, and the next
 * counter behind that: `a`, `a000001`, `a000001000002`.
 */
export function nameCandidates(name: string): string[] {
  const candidates = [name.slice(0, maxNameLength)];
  for (let taken = 1; ; taken += 1) {
    const next = `${candidates.at(-1)}${String(taken).padStart(6, '0')}`;
    if (next.length > maxNameLength) return candidates;
    candidates.push(next);
  }
}

/** The name with the id of the identity behind it, which no other identity has. */
export function unmistakableName(name: string, identityId: string): string {
  return `${name.slice(0, maxNameLength - identityId.length - 1)}-${identityId}`;
}

/** The first candidate that no identity has, `null` when all are taken. */
export async function findFreeName(
  { sql }: Pick<EntityStore, 'sql'>,
  db: Kysely<Tables>,
  name: string,
): Promise<string | null> {
  const candidates = nameCandidates(name);
  const rows = await db
    .selectFrom('identities')
    .select('name')
    .where('name', 'in', inValues(sql, candidates))
    .execute();
  const taken = new Set(rows.map((row) => row.name));
  return candidates.find((candidate) => !taken.has(candidate)) ?? null;
}
