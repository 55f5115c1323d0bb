import type { Sealer } from '../lib/sealer.ts';
import type { EntityStore } from './entity-store.ts';

/** The database was sealed with another key than the one in use. */
export class SealKeyMismatch extends Error {
  override readonly name = 'SealKeyMismatch';
}

const key = 'sealCheck';
const text = 'sealed with the right key';

/**
 * Makes sure that this process seals with the key of the database, which the first process to open it decides.
 *
 * @throws SealKeyMismatch instead of failing later, at the first row that cannot be opened
 */
export async function checkSealKey(entities: EntityStore, sealer: Sealer): Promise<void> {
  const own = { key, value: sealer.seal(text, key) };
  await entities.db
    .insertInto('meta')
    .values(own)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const { value } = await entities.db
    .selectFrom('meta')
    .select('value')
    .where('key', '=', key)
    .executeTakeFirstOrThrow();
  if (!opens(sealer, value)) throw new SealKeyMismatch('The key that seals tokens is not the key of this database.');
}

function opens(sealer: Sealer, value: string): boolean {
  try {
    return sealer.open(value, key) === text;
  } catch {
    return false;
  }
}
