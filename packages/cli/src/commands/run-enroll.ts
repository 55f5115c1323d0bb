import { existsSync, lstatSync } from 'node:fs';
import { isRow } from '@edge-controller/operation-tables';
import type { EnrolledIdentity, NodeEnrollOptions } from '@edge-controller/sdk/node';
import { enroll, saveIdentity } from '@edge-controller/sdk/node';
import { CliError, usageError } from '../errors/cli-error.ts';
import { askSecret } from '../input/prompts.ts';
import { readTextFile } from '../input/read-file.ts';
import { readSecretLine } from '../input/standard-input.ts';
import { baseNameOf } from '../lib/base-name.ts';
import { printable } from '../lib/printable.ts';
import { shellWord } from '../lib/shell-word.ts';
import { note, print } from '../output/terminal.ts';

interface EnrollFlags {
  readonly out?: string;
  readonly force?: boolean;
  readonly keyType?: 'ec' | 'rsa';
  readonly cert?: string;
  readonly key?: string;
  readonly name?: string;
  readonly passwordStdin?: boolean;
}

/** Redeems an enrollment. Writes an identity file that only its owner may read (mode 0600). */
export async function enrollIdentity(source: string, flags: EnrollFlags): Promise<void> {
  const isJwt = /^[\w-]+\.[\w-]+\.[\w-]+$/.test(source) && !existsSync(source);
  const jwt = isJwt ? source : (await readTextFile(source, '<jwt>')).trim();
  const claims = claimsOf(jwt);
  const file = flags.out ?? fileOf(isJwt || source === '-' ? baseNameOf(claims.sub) : source);
  const isPassword = claims.em === 'updb';
  // A token can be redeemed once, so what cannot be written must be known before.
  if (!isPassword && !flags.force && lstatSync(file, { throwIfNoEntry: false })) {
    throw usageError(`${printable(file)} exists: name another file with --out, or replace it with --force`);
  }
  const enrolled = await enroll(jwt, await optionsOf(flags, isPassword));
  if (isPassword) return logLogin('the password is set:', enrolled.url, '--username', enrolled.username ?? '');
  await save(file, enrolled, flags);
}

async function optionsOf({ keyType, cert, key, name, passwordStdin }: EnrollFlags, isPassword: boolean) {
  const password = async () =>
    passwordStdin ? readSecretLine('--password-stdin') : askSecret('New password', '--password-stdin');
  return {
    keyType,
    name,
    ...(cert !== undefined && { cert: await readTextFile(cert, '--cert') }),
    ...(key !== undefined && { key: await readTextFile(key, '--key') }),
    ...(isPassword && { password: await password() }),
  } satisfies NodeEnrollOptions;
}

async function save(file: string, enrolled: EnrolledIdentity, { key }: EnrollFlags): Promise<void> {
  try {
    await saveIdentity(file, enrolled);
  } catch (cause) {
    const lost = key === undefined ? '; the enrollment is redeemed and its key is lost: ask for another one' : '';
    throw new CliError(`cannot write ${printable(file)} (${(cause as NodeJS.ErrnoException).code})${lost}`, undefined, {
      cause,
    });
  }
  print(printable(file));
  logLogin(`enrolled at ${printable(enrolled.url)}; sign in:`, '--identity', file);
}

function logLogin(what: string, ...words: readonly string[]): void {
  note(`${what} edge login ${words.map(shellWord).join(' ')}`);
}

const fileOf = (source: string) => `${source.replace(/\.(jwt|txt|token)$/i, '')}.json`;

/** What the JWT says of itself. The SDK verifies it. */
function claimsOf(jwt: string): { readonly em?: unknown; readonly sub?: unknown } {
  try {
    const claims: unknown = JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString('utf8'));
    if (isRow(claims)) return claims;
  } catch {
    // The error of the parser would quote the JWT.
  }
  throw usageError('<jwt> is no enrollment JWT: give the file that the administrator has sent');
}
