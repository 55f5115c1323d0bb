import { setImmediate as nextTurn } from 'node:timers/promises';
import { parseJson } from '../../core/text/parse-json.ts';
import { firstCertificateOf } from '../../pki/pem.ts';
import type { JwtKey, KeysOfKid } from './keys-of-kid.ts';
import { keysOfKid, maxSharing } from './keys-of-kid.ts';
import { isKid } from './kid.ts';
import type { JsonObject } from './parse-object.ts';
import { publicKeyOfCertificate, UnusableKey } from './public-key.ts';
import { splitKeySet } from './split-key-set.ts';

/** The public keys of one signer. A key is imported when it is first asked for, and kept. */
export interface KeyRing {
  /** Whether there is a usable key. */
  readonly has: (kid: string) => boolean;
  /** The usable keys. At most one of them verifies an algorithm. */
  readonly get: (kid: string) => readonly JwtKey[];
  /** Why the set has no usable key with this `kid`. `null`: it has one, or none at all. */
  readonly problem: (kid: string) => string | null;
}

/** Not a set of keys. */
export class UnusableKeySet extends Error {
  override readonly name = 'UnusableKeySet';
}

/** More than a set of 1 MiB has: each key has at least 90 bytes. */
const maxKeys = 20_000;
/** Bytes that are read in one turn of the event loop. `entryCost`: what reading an empty entry costs, as bytes. */
const sliceSize = 32_768;
const entryCost = 256;

/**
 * Reads a JWK set (RFC 7517, section 5). An entry that cannot be used is skipped and never hides the others.
 *
 * @throws UnusableKeySet
 */
export function readKeyRing(jwkSet: unknown): KeyRing {
  const entries: unknown = isObject(jwkSet) ? jwkSet.keys : undefined;
  if (!Array.isArray(entries)) throw new UnusableKeySet('no JWK set');
  const named = Map.groupBy(entries as readonly unknown[], kidOf);
  named.delete(null);
  return ringOf(named, (jwk) => jwk);
}

/**
 * Reads a JWK set from the bytes of its JSON, in slices: a large set blocks the event loop no longer than a small one.
 *
 * @throws UnusableKeySet for too many keys; Unreadable for what is no JWK set
 */
export async function readKeySet(document: Buffer): Promise<KeyRing> {
  const entries = new Map<string, Buffer[]>();
  let count = 0;
  let slice = 0;
  for (const entry of splitKeySet(document)) {
    const kid = kidOf(parseJson(entry));
    const sharing = kid === null ? [] : (entries.get(kid) ?? []);
    sharing.push(entry);
    if (kid !== null) entries.set(kid, sharing);
    count += 1;
    if (count > maxKeys) throw new UnusableKeySet(`more than ${maxKeys} keys`);
    slice += entry.length + entryCost;
    if (slice < sliceSize) continue;
    slice = 0;
    await nextTurn();
  }
  return ringOf(entries, parseJson);
}

/**
 * The ring of a signer with one certificate in PEM. `kid` is what its tokens must name.
 *
 * @throws UnusableKeySet when there is no certificate, or its key is none that a JWK set may have
 */
export function keyRingOfCertificate(certPem: string, kid: string): KeyRing {
  try {
    const keys = [publicKeyOfCertificate(firstCertificateOf(certPem))];
    return { has: (wanted) => wanted === kid, get: (wanted) => (wanted === kid ? keys : []), problem: () => null };
  } catch (error) {
    if (!(error instanceof UnusableKey)) throw error;
    throw new UnusableKeySet(error.message);
  }
}

function ringOf<Entry>(
  entries: ReadonlyMap<string | null, readonly Entry[]>,
  open: (entry: Entry) => unknown,
): KeyRing {
  const known = new Map<string, KeysOfKid>();
  const find = (kid: string): KeysOfKid => {
    const sharing = entries.get(kid);
    if (!sharing) return { keys: [], problem: null };
    // Reads one more than `maxSharing`, so that `keysOfKid` sees that there are too many.
    const read = () =>
      sharing
        .slice(0, maxSharing + 1)
        .map(open)
        .filter(isObject);
    const found = known.get(kid) ?? keysOfKid(read());
    known.set(kid, found);
    return found;
  };
  return {
    has: (kid) => find(kid).keys.length > 0,
    get: (kid) => find(kid).keys,
    problem: (kid) => (find(kid).keys.length > 0 ? null : find(kid).problem),
  };
}

/** `null`: no JWT can name the entry. */
function kidOf(jwk: unknown): string | null {
  const kid = isObject(jwk) ? jwk.kid : undefined;
  return isKid(kid) ? kid : null;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
