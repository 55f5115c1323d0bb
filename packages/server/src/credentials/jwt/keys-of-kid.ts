import type { KeyObject } from 'node:crypto';
import type { JsonObject } from './parse-object.ts';
import type { JwtPublicKey } from './public-key.ts';
import { publicKeyOfJwk, UnusableKey } from './public-key.ts';

/** A key that verifies JWTs. */
export interface JwtKey {
  readonly key: KeyObject;
  /** The values of `alg` that it verifies. */
  readonly algorithms: readonly string[];
}

/** What the keys with one `kid` verify. */
export interface KeysOfKid {
  /** At most one of them verifies an algorithm. */
  readonly keys: readonly JwtKey[];
  /** Why there is no other usable key. `null`: none was skipped. */
  readonly problem: string | null;
}

/** Entries with the same `kid` that are imported: a set has a key once for each algorithm at most. */
export const maxSharing = 16;
/** `jwt-svid`: SPIFFE marks the keys of its JWTs with it. */
const uses: readonly unknown[] = ['sig', 'jwt-svid'];
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv'];

/**
 * Imports the entries of a JWK set with the same `kid`. An entry that is symmetric, weak, private or not for signatures is
 * skipped, and the others stay usable. Keys may differ when no algorithm fits two of them.
 */
export function keysOfKid(entries: readonly JsonObject[]): KeysOfKid {
  if (entries.length > maxSharing) return { keys: [], problem: `more than ${maxSharing} keys have the same kid` };
  const problems: string[] = [];
  const found = entries.flatMap((jwk) => {
    try {
      return [readKey(jwk)];
    } catch (error) {
      if (!(error instanceof UnusableKey)) throw error;
      problems.push(error.message);
      return [];
    }
  });
  const keys = withoutShared(joinCopies(found));
  if (keys.length === 0 && found.length > 0) problems.unshift('another key has the same kid');
  return { keys, problem: problems[0] ?? null };
}

/** @throws UnusableKey */
function readKey(jwk: JsonObject): JwtPublicKey {
  const secret = privateMembers.find((name) => Object.hasOwn(jwk, name));
  if (secret !== undefined) throw new UnusableKey(`a private or symmetric key: it has ${secret}`);
  if (jwk.use !== undefined && !uses.includes(jwk.use)) throw new UnusableKey('use is neither sig nor jwt-svid');
  const operations = jwk.key_ops;
  if (operations !== undefined && !(Array.isArray(operations) && operations.includes('verify'))) {
    throw new UnusableKey('key_ops has no verify');
  }
  const found = publicKeyOfJwk(jwk);
  if (jwk.alg === undefined) return found;
  const algorithms = found.algorithms.filter((name) => name === jwk.alg);
  if (algorithms.length === 0) throw new UnusableKey('alg does not fit the key');
  return { ...found, algorithms };
}

/** A provider may list a key twice, such as once for each `alg`. */
function joinCopies(found: readonly JwtPublicKey[]): JwtKey[] {
  const copies = Map.groupBy(found, ({ spki }) => spki.toString('base64'));
  return [...copies.values()].flatMap(([first, ...others]) => {
    if (!first) return [];
    const algorithms = new Set([first, ...others].flatMap((copy) => copy.algorithms));
    return [{ key: first.key, algorithms: [...algorithms] }];
  });
}

/** Drops the algorithms that two keys share: the algorithm of a JWT must select one key. */
function withoutShared(keys: readonly JwtKey[]): JwtKey[] {
  const isOwn = (alg: string) => keys.filter(({ algorithms }) => algorithms.includes(alg)).length === 1;
  return keys
    .map((key) => ({ ...key, algorithms: key.algorithms.filter(isOwn) }))
    .filter(({ algorithms }) => algorithms.length > 0);
}
