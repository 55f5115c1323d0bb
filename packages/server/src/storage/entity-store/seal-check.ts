import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import { makeKey, readKey } from '../../core/secrets/key-file.ts';
import type { Sealer } from '../../core/secrets/sealer.ts';
import { createSealer } from '../../core/secrets/sealer.ts';
import { StartError } from '../../core/start/start-error.ts';
import type { EntityStore } from './entity-store.ts';

const key = 'sealCheck';
const text = 'sealed with the right key';
const sameKey = 'All replicas use the same key';

interface SealKey {
  /** The key of the settings. `null`: the key is in the file. */
  readonly sealKey: Buffer | null;
  readonly file: string;
  readonly database: Promise<EntityStore>;
}

/**
 * Opens the sealer of a database: with the key of the settings, with the key in the file, or, for a new database, with a new
 * key in the file. The first process that opens a database sets its key.
 *
 * @throws StartError when the key is missing, damaged or another one. Without this check, the first sealed row would fail.
 */
export async function openSealer({ sealKey, file, database: opening }: SealKey): Promise<Sealer> {
  // Before the database is there, so that all problems are found at once.
  const stored = sealKey ?? (await readKeyBefore(file, opening));
  const database = await opening;
  const sealer = createSealer(stored ?? (await findOrMakeKey(file, database)));
  await checkSealKey(database, sealer, sealKey === null ? file : null);
  return sealer;
}

async function readKeyBefore(file: string, opening: Promise<EntityStore>): Promise<Buffer | null> {
  // It is awaited later, or not at all when the file is damaged.
  opening.catch(() => undefined);
  return readKey(file);
}

/** A new key beside sealed data would hide that the old one is lost. */
async function findOrMakeKey(file: string, database: EntityStore): Promise<Buffer> {
  if ((await readSealed(database)) === undefined) return makeKey(file);
  // Another process may have made it meanwhile: it writes the key first.
  const made = readKey(file);
  if (made) return made;
  const message = `${file} is missing, but the database has data that its key has sealed. No new key is made`;
  const advice = `restore the file from a backup, or set EDGE_SEAL_KEY to the key. ${sameKey}`;
  throw new StartError([{ message, setting: 'dataDir', fix: advice, kind: 'wrong' }]);
}

async function checkSealKey(database: EntityStore, sealer: Sealer, file: string | null): Promise<void> {
  const own = { key, value: sealer.seal(text, key) };
  await database.db
    .insertInto('meta')
    .values(own)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  if (opens(sealer, (await readSealed(database)) ?? '')) return;
  const message = `The key that seals tokens is not the key of this database${file === null ? '' : ` (it is in ${file})`}.`;
  const advice = `set EDGE_SEAL_KEY to the key that the database was created with. ${sameKey}`;
  throw new StartError([{ message, setting: file === null ? 'sealKey' : 'dataDir', fix: advice, kind: 'wrong' }]);
}

async function readSealed({ db }: EntityStore): Promise<string | undefined> {
  const row = await db.selectFrom('meta').select('value').where('key', '=', key).executeTakeFirst();
  return row?.value;
}

function opens(sealer: Sealer, value: string): boolean {
  try {
    return sealer.open(value, key) === text;
  } catch {
    return false;
  }
}

/** The text that the seal key of a database has sealed. `null`: none has yet. */
export async function readSealCheck(db: Kysely<never>): Promise<string | null> {
  const { rows } = await sql<{ value: string }>`select "value" from "meta" where "key" = ${key}`.execute(db);
  return rows[0]?.value ?? null;
}

/** Whether a key is the one of a database. */
export function isSealKey(candidate: Buffer, sealCheck: string): boolean {
  return opens(createSealer(candidate), sealCheck);
}
