import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { StartError } from '../../core/start/start-error.ts';
import { fileNames } from '../../pki/read-pki-files.ts';
import { checkChanges } from '../../storage/entity-store/migrations/applied-changes.ts';
import { digestFile } from './private-files.ts';

const manifestFile = 'manifest.json';
/** The entities, a file of SQLite whatever database the controller has. */
export const entitiesFile = 'entities.db';
export const sealKeyFile = join('keys', 'seal.key');
export const pkiFiles: readonly string[] = Object.values(fileNames).flatMap(({ cert, key }) => [
  join('pki', cert),
  join('pki', key),
]);
const allFiles = [entitiesFile, sealKeyFile, ...pkiFiles];

const digest = z.object({ bytes: z.int().min(0), sha256: z.string().regex(/^[0-9a-f]{64}$/) });

const manifestSchema = z.object({
  format: z.literal('edge-controller-backup'),
  /** Raised when an older controller could not read the backup. */
  version: z.literal(1),
  createdAt: z.iso.datetime(),
  /** The version of the controller that made it. */
  controller: z.string().max(100),
  /** The migrations of the entities. */
  changes: z.array(z.string().max(200)).min(1).max(10_000),
  files: z.partialRecord(z.enum(allFiles), digest),
});

/** What a backup has. */
export type Manifest = z.output<typeof manifestSchema>;

export function manifestPath(backup: string): string {
  return join(backup, manifestFile);
}

/**
 * Reads the manifest of a backup, and compares all files with it.
 *
 * @throws StartError that lists what is wrong with the backup
 * @throws NewerSchema when a newer version of the controller has made it
 */
export async function readBackup(backup: string): Promise<Manifest> {
  const manifest = await readManifest(backup);
  checkChanges(manifest.changes);
  const wrong: string[] = [];
  for (const [file, expected] of Object.entries(manifest.files)) {
    const found = await digestFile(join(backup, file)).catch(() => null);
    if (found === null) wrong.push(`${join(backup, file)} is missing, or cannot be read`);
    else if (found.sha256 !== expected?.sha256) wrong.push(`${join(backup, file)} is not as it was written`);
  }
  if (manifest.files[entitiesFile] === undefined) wrong.push(`${manifestPath(backup)} does not name ${entitiesFile}`);
  if (wrong.length > 0) throw new StartError(wrong.map(damaged));
  return manifest;
}

async function readManifest(backup: string): Promise<Manifest> {
  const path = manifestPath(backup);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new StartError([damaged(`${backup} is no backup: ${path} cannot be read (${error.code})`)]);
  });
  const parsed = manifestSchema.safeParse(parse(text));
  if (parsed.success) return parsed.data;
  const member = parsed.error.issues[0]?.path.join('.');
  throw new StartError([
    damaged(`${backup} is no backup that this version can read: ${path} is wrong${member ? ` at ${member}` : ''}`),
  ]);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function damaged(message: string) {
  return { message, setting: null, fix: 'nothing was changed: use another backup', kind: 'wrong' } as const;
}
