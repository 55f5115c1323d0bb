import type { KeyObject } from 'node:crypto';
import { firstCertificateOf } from '../pki/pem.ts';
import { isKid, kidForm } from './kid.ts';
import type { JsonObject } from './parse-object.ts';
import type { JwtPublicKey } from './public-key.ts';
import { publicKeyOfCertificate, publicKeyOfJwk, UnusableKey } from './public-key.ts';

const maxKeys = 100;
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv'];

/** A key that verifies JWTs. */
export interface JwtKey {
  readonly key: KeyObject;
  /** The values of `alg` that it verifies. */
  readonly algorithms: readonly string[];
}

/** The public keys of one signer. They were imported once, so that a verification need not do it. */
export interface KeyRing {
  readonly has: (kid: string) => boolean;
  readonly get: (kid: string) => JwtKey | undefined;
  /** The keys of the set that verify nothing. `kid` is `null` for a key without a usable one. */
  readonly skipped: readonly { readonly kid: string | null; readonly reason: string }[];
}

/** Not a set of keys, or one of more keys than 100. */
export class UnusableKeySet extends Error {
  override readonly name = 'UnusableKeySet';
}

/**
 * Reads a JWK set (RFC 7517, section 5). A key that cannot be used is skipped and never hides the others: one that is
 * symmetric, weak or private, is not for signatures, has no `kid`, or shares it with another key.
 *
 * @throws UnusableKeySet
 */
export function readKeyRing(jwkSet: unknown): KeyRing {
  const entries: unknown = isObject(jwkSet) ? jwkSet.keys : undefined;
  if (!Array.isArray(entries)) throw new UnusableKeySet('no JWK set');
  if (entries.length > maxKeys) throw new UnusableKeySet(`a JWK set of ${entries.length} keys`);
  const skipped: { kid: string | null; reason: string }[] = [];
  const byKid = new Map<string, JwtPublicKey[]>();
  for (const jwk of entries as readonly unknown[]) {
    const kid = kidOf(jwk);
    try {
      if (!isObject(jwk)) throw new UnusableKey('no JWK');
      if (kid === null) throw new UnusableKey(`no kid: ${kidForm}`);
      byKid.set(kid, [...(byKid.get(kid) ?? []), readKey(jwk)]);
    } catch (error) {
      if (!(error instanceof UnusableKey)) throw error;
      skipped.push({ kid, reason: error.message });
    }
  }
  const keys = new Map<string, JwtKey>();
  for (const [kid, found] of byKid) {
    const key = joinCopies(found);
    if (key) keys.set(kid, key);
    else skipped.push({ kid, reason: 'another key has the same kid' });
  }
  return ringOf(keys, skipped);
}

/**
 * The ring of a signer with one certificate in PEM. `kid` is what its tokens must name.
 *
 * @throws UnusableKeySet when there is no certificate, or its key is none that a JWK set may have
 */
export function keyRingOfCertificate(certPem: string, kid: string): KeyRing {
  try {
    return ringOf(new Map([[kid, publicKeyOfCertificate(firstCertificateOf(certPem))]]), []);
  } catch (error) {
    if (!(error instanceof UnusableKey)) throw error;
    throw new UnusableKeySet(error.message);
  }
}

function ringOf(keys: ReadonlyMap<string, JwtKey>, skipped: KeyRing['skipped']): KeyRing {
  return { has: (kid) => keys.has(kid), get: (kid) => keys.get(kid), skipped };
}

/** @throws UnusableKey */
function readKey(jwk: JsonObject): JwtPublicKey {
  const secret = privateMembers.find((name) => Object.hasOwn(jwk, name));
  if (secret !== undefined) throw new UnusableKey(`a private or symmetric key: it has ${secret}`);
  if (jwk.use !== undefined && jwk.use !== 'sig') throw new UnusableKey('use is not sig');
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

/** A provider may list a key twice, such as once for each `alg`. `null` when the keys differ. */
function joinCopies([first, ...others]: readonly JwtPublicKey[]): JwtPublicKey | null {
  if (!first || others.some((other) => !other.spki.equals(first.spki))) return null;
  return { ...first, algorithms: [first, ...others].flatMap((copy) => copy.algorithms) };
}

function kidOf(jwk: unknown): string | null {
  const kid = isObject(jwk) ? jwk.kid : undefined;
  return isKid(kid) ? kid : null;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
