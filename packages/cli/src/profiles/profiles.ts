import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { TokenStorage } from '@edge-controller/sdk/node';
import { fileStorage } from '@edge-controller/sdk/node';
import { usageError } from '../errors/cli-error.ts';
import { shellWord } from '../lib/shell-word.ts';
import { configFolder, profileOfEnvironment } from './environment.ts';

/** A controller, and how somebody signs in there. It contains no secret: the session stands beside it. */
export interface Profile {
  readonly url: string;
  /** PEM of the CAs to trust. Absent: those of the platform. */
  readonly ca?: string;
  readonly method: 'password' | 'certificate' | 'ext-jwt';
  readonly username?: string;
  /** Path of an identity file. */
  readonly identity?: string;
  /** Paths of a certificate and its key, in PEM. */
  readonly cert?: string;
  readonly key?: string;
  /** Path of a file with the JWT that is the second factor. */
  readonly secondJwtFile?: string;
}

const profileKey = 'profile';
const currentKey = 'current';
export const defaultProfile = 'default';

const folder = () => join(configFolder(), 'profiles');
const current = () => fileStorage(join(configFolder(), 'current.json'));

/** The file of a profile and of its session. Only its owner may read it (mode 0600). */
export function storageOf(name: string): TokenStorage {
  if (!/^[A-Za-z0-9][\w.-]{0,63}$/.test(name)) {
    throw usageError(`--profile ${JSON.stringify(name)}: a name has up to 64 letters, digits, dots, - and _`);
  }
  return fileStorage(join(folder(), `${name}.json`));
}

/** The profile of `--profile`, of `EDGE_PROFILE`, or the one of the last sign-in. */
export async function profileName(given?: string): Promise<string> {
  return given ?? profileOfEnvironment() ?? (await current().get(currentKey)) ?? defaultProfile;
}

export async function readProfile(name: string): Promise<Profile | null> {
  const text = await storageOf(name).get(profileKey);
  return text === null ? null : (JSON.parse(text) as Profile);
}

/** Saves a profile and makes it the current one. */
export async function saveProfile(name: string, profile: Profile): Promise<void> {
  await storageOf(name).set(profileKey, JSON.stringify(profile));
  await selectProfile(name);
}

export async function selectProfile(name: string): Promise<void> {
  await current().set(currentKey, name);
}

export async function removeProfile(name: string): Promise<void> {
  storageOf(name);
  await rm(join(folder(), `${name}.json`), { force: true });
}

/** The names of all profiles, in alphabetical order. */
export async function listProfiles(): Promise<string[]> {
  const files = await readdir(folder()).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return files.flatMap((file) => (/^[A-Za-z0-9][\w.-]{0,63}\.json$/.test(file) ? [file.slice(0, -5)] : [])).sort();
}

/** The command that signs in to a profile again. */
export function loginCommand(name: string, profile: Profile | null): string {
  const option = name === defaultProfile ? '' : ` --profile ${shellWord(name)}`;
  return profile === null
    ? `edge login <url>${option}`
    : `edge login ${shellWord(profile.url)}${option}${howOf(profile)}`;
}

function howOf({ method, username, identity, cert, key }: Profile): string {
  if (identity !== undefined) return ` --identity ${shellWord(identity)}`;
  if (cert !== undefined) return ` --cert ${shellWord(cert)} --key ${shellWord(key ?? '')}`;
  if (method === 'ext-jwt') return ' --jwt-file <file>';
  return username === undefined ? '' : ` --username ${shellWord(username)}`;
}
