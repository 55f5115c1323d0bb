import type { Sealer } from '../lib/sealer.ts';
import type { EntityStore } from './entity-store.ts';

/** The key of this process is not the key that sealed the database. */
export class SealKeyMismatch extends Error {
  override readonly name = 'SealKeyMismatch';
}

const key = 'sealCheck';
const text = 'sealed with the right key';

/**
 * Checks that this process has the sealing key of the database. The first process that opens a database sets its key.
 *
 * @throws SealKeyMismatch when the key differs. Without this check, the first sealed row would fail later.
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
