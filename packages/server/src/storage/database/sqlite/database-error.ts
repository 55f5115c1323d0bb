import Database from 'better-sqlite3';
import { fileError } from '../../../core/start/file-problem.ts';
import type { StartProblem } from '../../../core/start/start-error.ts';
import { StartError } from '../../../core/start/start-error.ts';
import { NewerSchema } from '../newer-schema.ts';

const files = 'with its -wal and -shm files';
const entitiesFix = `restore it from a backup, ${files}. Without one, try: sqlite3 entities.db .recover`;
const sessionsFix = `move it away, ${files}. All API sessions end, and clients sign in again`;

/** The code of a SQLite error → what it means, and what helps when it is not the same as for a damaged file. */
const meanings: readonly (readonly [RegExp, string, string?])[] = [
  [/^SQLITE_(NOTADB|CORRUPT)/, 'the file is damaged'],
  [
    /^SQLITE_(READONLY|PERM|AUTH|CANTOPEN)/,
    'this user may not read and write it',
    'give the user that runs the controller access to it',
  ],
  [/^SQLITE_FULL/, 'the disk is full', 'free space on the disk of the data directory'],
  [/^SQLITE_IOERR/, 'the disk reports an error or is full', 'check the disk of the data directory'],
  [/^SQLITE_(BUSY|LOCKED)/, 'another process writes it for too long', 'stop the other process'],
];

/** Opens a database. @throws StartError that names the file, when the file cannot be used */
export async function openDatabaseFile<Store>(file: string, open: (file: string) => Promise<Store>): Promise<Store> {
  try {
    return await open(file);
  } catch (error) {
    throw databaseError(file, error);
  }
}

function databaseError(file: string, error: unknown): unknown {
  const origin = error instanceof Error && error.cause instanceof Database.SqliteError ? error.cause : error;
  const problem = problemOf(file, origin);
  return problem ? new StartError([problem], { cause: error }) : fileError(file, origin);
}

function problemOf(file: string, error: unknown): StartProblem | null {
  const common = { setting: 'dataDir', kind: 'unusable' } as const;
  if (error instanceof NewerSchema) return { ...common, message: `${file}: ${error.message}`, fix: error.fix };
  if (!(error instanceof Database.SqliteError)) return null;
  const { code, message } = error;
  const [, reason, fix] = meanings.find(([pattern]) => pattern.test(code)) ?? [];
  if (reason === undefined) return null;
  const restore = file.endsWith('sessions.db') ? sessionsFix : entitiesFix;
  return { ...common, message: `${file} cannot be used: ${reason} (${message})`, fix: fix ?? restore };
}
