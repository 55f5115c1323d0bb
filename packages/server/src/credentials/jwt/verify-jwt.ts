import type { InvalidJwt, JwtCheck } from './broken-check.ts';
import { BrokenCheck, describeValue, invalidJwt, jwtChecks } from './broken-check.ts';
import { checkTimes } from './check-times.ts';
import type { KeyRing } from './key-ring.ts';
import { readKeyRing, UnusableKeySet } from './key-ring.ts';
import type { JwtKey } from './keys-of-kid.ts';
import type { JwtHeader, ParsedJwt } from './parse-jwt.ts';
import { parseJwt } from './parse-jwt.ts';
import type { JsonObject } from './parse-object.ts';
import { isVerified, rememberVerified } from './verified-tokens.ts';

/** Milliseconds. */
const defaultTolerance = 30_000;

/** What `verifyJwt` checks. */
export interface JwtOptions {
  /** The JWT in compact form, or what `parseJwt` made of it. */
  readonly token: string | ParsedJwt;
  /** The keys of the signer: a JWK set as parsed JSON, or what `readKeyRing` made of it, which saves the import. */
  readonly keys: KeyRing | { readonly keys: readonly unknown[] };
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Milliseconds that the clocks may differ. Default: 30,000. */
  readonly tolerance?: number;
  /** Milliseconds from `at` within which the token must expire. Default: any. */
  readonly maxLifetime?: number;
}

/** A JWT that is signed with a key of the set and good at the moment. */
export interface ValidJwt {
  readonly valid: true;
  readonly header: JwtHeader;
  readonly claims: JsonObject;
  /** All checks. */
  readonly checks: readonly JwtCheck[];
}

const allPassed: readonly JwtCheck[] = jwtChecks.map((check) => ({ check, passed: true }));

/**
 * Checks a JWT by RFC 7515, 7519 and 8725, and more strictly: its form (`parseJwt`), its signature, and its times. The result
 * depends only on the options. A bad token or a bad key never makes it throw.
 *
 * The key must have the `kid` of the header, and fit its `alg`: RSA for RS256, RS384, RS512, PS256, PS384 and PS512; P-256 for
 * ES256, P-384 for ES384, P-521 for ES512; Ed25519 for EdDSA and Ed25519. A JWK with an `alg` fits only this one. `exp` is
 * required.
 *
 * The caller checks the issuer and the audience: only the caller knows whose keys these are.
 *
 * @example
 * const result = await verifyJwt({ token, keys: { keys: [jwk] }, at: Date.now() });
 * if (result.valid) console.log(result.claims.sub);
 * else console.log(result.failed, result.checks.at(-1)?.expected);
 */
export async function verifyJwt(options: JwtOptions): Promise<ValidJwt | InvalidJwt> {
  const { token, keys } = options;
  const parsed = isParsed(token) ? token : parseJwt(token);
  if ('failed' in parsed) return parsed;
  try {
    const { header } = parsed;
    await checkSignature(parsed, keyFor(header, keys));
    if (parsed.claims === null) throw parsed.flaw;
    const { at, tolerance = defaultTolerance, maxLifetime = Number.POSITIVE_INFINITY } = options;
    checkTimes(parsed.claims, { at, tolerance, maxLifetime });
    return { valid: true, header, claims: parsed.claims, checks: allPassed };
  } catch (error) {
    if (!(error instanceof BrokenCheck)) throw error;
    return invalidJwt(error);
  }
}

// The package exports `verifyJwt`, so callers without types may pass anything.
function isParsed(token: unknown): token is ParsedJwt {
  return typeof token === 'object' && token !== null && 'claimedIssuer' in token;
}

/** A JWK set as JSON has no functions. */
function isRing(keys: unknown): keys is KeyRing {
  return typeof keys === 'object' && keys !== null && 'get' in keys && typeof keys.get === 'function';
}

function keyFor({ kid, alg }: JwtHeader, keys: JwtOptions['keys']): JwtKey {
  const ring = ringOf(keys);
  const found = ring.get(kid);
  if (found.length === 0) {
    const reason = ring.problem(kid) ?? 'not in the set';
    throw new BrokenCheck('key', 'the kid of a usable key of the signer', `${reason}: kid ${describeValue(kid)}`);
  }
  const key = found.find(({ algorithms }) => algorithms.includes(alg));
  if (key) return key;
  const expected = found.flatMap(({ algorithms }) => algorithms).join(', ');
  throw new BrokenCheck('algorithm', expected, describeValue(alg));
}

function ringOf(keys: JwtOptions['keys']): KeyRing {
  if (isRing(keys)) return keys;
  try {
    return readKeyRing(keys);
  } catch (error) {
    if (!(error instanceof UnusableKeySet)) throw error;
    throw new BrokenCheck('key', 'a JWK set', error.message);
  }
}

let jose: Promise<typeof import('jose/jws/compact/verify')> | undefined;
/** Imported at the first JWT, because most processes verify none; and once, because an import at each takes 25 µs. */
function loadJose() {
  jose ??= import('jose/jws/compact/verify');
  return jose;
}

async function checkSignature({ token, header: { alg } }: ParsedJwt, key: JwtKey): Promise<void> {
  if (isVerified(key, token)) return;
  const { compactVerify } = await loadJose();
  try {
    await compactVerify(token, key.key, { algorithms: [alg] });
    rememberVerified(key, token);
  } catch {
    throw new BrokenCheck('signature', `a signature by the key, with ${alg}`, 'another signature');
  }
}
