import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ClientIdentity } from '../api/enroll.ts';
import { replaceFile } from './replace-file.ts';

/** An identity with a key and a certificate. */
export interface CertificateIdentity extends ClientIdentity {
  readonly key: string;
  readonly cert: string;
}

/** What an identity file says. */
export interface IdentityFile {
  readonly identity: ClientIdentity;
  /** A renewed certificate that the controller has issued and that is perhaps not in use yet. */
  readonly pending: CertificateIdentity | null;
}

type Members = Readonly<Record<string, unknown>>;

const apiPath = '/edge/client/v1';

/**
 * Reads an identity file: JSON with `ztAPI` (or `ztAPIs`, whose first address counts) and `id` with `key`, `cert` and
 * `ca`. Their values are `pem:…`, a `file://` URL, a path that is relative to the working directory, or PEM itself.
 *
 * @throws the file system error, TypeError when the file is not an identity file. Errors do not quote the file.
 * @example const { url, key, cert, ca } = loadIdentity('sensor.json');
 */
export function loadIdentity(path: string): ClientIdentity {
  return readIdentityFile(path).identity;
}

/**
 * Saves an identity as JSON in the form that existing tools use. Only the owner may read the file (mode 0600), and it is
 * replaced atomically. If it exists, its other members stay.
 *
 * @throws the file system error, TypeError when the existing file is not an identity file, or a new one has no `url`
 * @example
 * await saveIdentity('sensor.json', await enroll(jwt));
 */
export async function saveIdentity(path: string, identity: ClientIdentity): Promise<void> {
  await writeIdentityFile(path, { identity, pending: null });
}

/** Reads an identity file together with the state of its renewal. */
export function readIdentityFile(path: string): IdentityFile {
  const members = readMembers(path);
  const id = recordOf(members.id) ?? {};
  const { ztAPI, ztAPIs } = members;
  const api: unknown = typeof ztAPI === 'string' ? ztAPI : Array.isArray(ztAPIs) ? ztAPIs[0] : undefined;
  if (typeof api !== 'string') throw new TypeError(`${path} is not an identity file: it has no ztAPI`);
  const url = api.replace(/\/edge\/client\/.*$/, '');
  const identity = { url, ...pemMembers(path, id) };
  const pending = pemMembers(path, recordOf(members.pendingId) ?? {});
  return { identity, pending: hasCertificate(pending) ? pending : null };
}

/** Writes identity and pending renewal at once. Values in other files are then in this one. */
export async function writeIdentityFile(path: string, { identity, pending }: IdentityFile): Promise<void> {
  const { pendingId: _replaced, ...kept } = readExistingMembers(path);
  const ztAPI = identity.url === undefined ? kept.ztAPI : identity.url.replace(/\/+$/, '') + apiPath;
  if (ztAPI === undefined && kept.ztAPIs === undefined) throw new TypeError('the identity has no url');
  const id = { ...recordOf(kept.id), ...withPrefix(identity) };
  const pendingId = pending === null ? {} : { pendingId: withPrefix(pending) };
  await replaceFile(
    path,
    `${JSON.stringify({ ...kept, ...(ztAPI !== undefined && { ztAPI }), id, ...pendingId }, null, 2)}\n`,
  );
}

export function hasCertificate(identity: ClientIdentity): identity is CertificateIdentity {
  return identity.key !== undefined && identity.cert !== undefined;
}

function readExistingMembers(path: string): Members {
  try {
    return readMembers(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
    throw error;
  }
}

function readMembers(path: string): Members {
  const text = readFileSync(path, 'utf8');
  try {
    const members = recordOf(JSON.parse(text));
    if (members !== null) return members;
  } catch {
    // The error of the parser would quote the file, which has a private key.
  }
  throw new TypeError(`${path} is not an identity file: it has no JSON object`);
}

function recordOf(value: unknown): Members | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
}

function withPrefix({ key, cert, ca }: ClientIdentity): Members {
  const given = Object.entries({ key, cert, ca }).filter(([, pem]) => pem !== undefined);
  return Object.fromEntries(given.map(([name, pem]) => [name, `pem:${pem}`]));
}

function pemMembers(path: string, id: Members): ClientIdentity {
  const given = (['key', 'cert', 'ca'] as const).flatMap((name) => {
    const value = id[name];
    if (value === undefined || value === null || value === '') return [];
    if (typeof value !== 'string') throw new TypeError(`${path} is not an identity file: id.${name} is not a text`);
    return [[name, pemOf(path, name, value)] as const];
  });
  return Object.fromEntries(given);
}

function pemOf(path: string, name: string, value: string): string {
  if (value.startsWith('pem:')) return value.slice('pem:'.length);
  if (value.startsWith('-----BEGIN')) return value;
  if (value.startsWith('file:///')) return readFileSync(fileURLToPath(value), 'utf8');
  if (value.startsWith('file://')) return readFileSync(resolve(value.slice('file://'.length)), 'utf8');
  // A path of Windows begins with one letter and a colon.
  if (/^[a-z][a-z0-9+.-]+:/i.test(value))
    throw new TypeError(`${path}: id.${name} is in a key store, which needs native code`);
  return readFileSync(resolve(value), 'utf8');
}
