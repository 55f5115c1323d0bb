import { maxHeaderSize } from '../../core/start/max-header-size.ts';
import { decodeBase64url } from './base64url.ts';
import type { InvalidJwt } from './broken-check.ts';
import { BrokenCheck, describeValue, invalidJwt } from './broken-check.ts';
import { isKid, kidForm } from './kid.ts';
import type { JsonObject } from './parse-object.ts';
import { parseObject } from './parse-object.ts';

/**
 * They bring a key, change what is signed, or must be understood (RFC 7515, 7516, 7797). `jku` and `x5u` only point to one. As other
 * parameters they are never read, so nothing is fetched from there.
 */
const refusedParameters = ['crit', 'b64', 'jwk', 'x5c', 'zip', 'enc'];
/** Media types, so the case does not matter (RFC 7515, section 4.1.9; RFC 9068, section 2.1). SPIFFE also has `JOSE`. */
const types = ['jwt', 'at+jwt', 'jose'].flatMap((name) => [name, `application/${name}`]);

/** The header of a JWT. It has more members than these when the token has them; nobody reads them. */
export interface JwtHeader extends JsonObject {
  readonly alg: string;
  readonly kid: string;
  readonly typ?: string;
}

/** A JWT with the right form. Nothing in it is proven: its signature was not checked. */
export interface ParsedJwt {
  /** The token it was read from. */
  readonly token: string;
  readonly header: JwtHeader;
  /** `null` when the payload is not a JSON object. */
  readonly claims: JsonObject | null;
  /** Why `claims` is `null`. */
  readonly flaw: BrokenCheck | null;
  /** The claim `iss`. It tells whose keys may verify the token; `null` when it is not a string. */
  readonly claimedIssuer: string | null;
}

/**
 * Reads a JWT in compact form (RFC 7515, section 7.1) of at most 16,384 characters: three segments in canonical base64url, a
 * header that is a JSON object without duplicate members, `typ` of a JWT or access token if any, and a `kid` of 1 to 256
 * characters. It never throws.
 */
export function parseJwt(token: unknown): ParsedJwt | InvalidJwt {
  try {
    return parse(token);
  } catch (error) {
    if (!(error instanceof BrokenCheck)) throw error;
    return invalidJwt(error);
  }
}

function parse(token: unknown): ParsedJwt {
  if (typeof token !== 'string') throw new BrokenCheck('form', 'text', typeof token);
  if (token.length > maxHeaderSize) throw form(`at most ${maxHeaderSize} characters`, `${token.length} characters`);
  const segments = token.split('.');
  if (segments.length !== 3) throw form('three segments', `${segments.length} segments`);
  const [header, payload] = segments.map((segment, index) => {
    const bytes = decodeBase64url(segment);
    if (bytes === null) throw form('segments in base64url without padding', `another form of segment ${index + 1}`);
    return bytes;
  });
  if (!header || !payload) throw form('three segments', 'fewer');
  const read = { token, header: parseHeader(header) };
  try {
    const claims = parseObject(payload, 'claims');
    const { iss } = claims;
    return { ...read, claims, flaw: null, claimedIssuer: typeof iss === 'string' ? iss : null };
  } catch (error) {
    if (!(error instanceof BrokenCheck)) throw error;
    return { ...read, claims: null, flaw: error, claimedIssuer: null };
  }
}

function parseHeader(bytes: Buffer): JwtHeader {
  const header = parseObject(bytes, 'header');
  const refused = refusedParameters.find((name) => Object.hasOwn(header, name));
  if (refused !== undefined) throw new BrokenCheck('header', `no ${refused}`, refused);
  const { typ, alg, kid } = header;
  if (typ !== undefined && (typeof typ !== 'string' || !types.includes(typ.toLowerCase()))) {
    throw new BrokenCheck('header', 'no typ, or typ JWT, at+jwt or JOSE', `typ ${describeValue(typ)}`);
  }
  if (typeof alg !== 'string') throw new BrokenCheck('header', 'alg: a text', `alg ${describeValue(alg)}`);
  if (!isKid(kid)) throw new BrokenCheck('header', `kid: ${kidForm}`, `kid ${describeValue(kid)}`);
  return { ...header, alg, kid };
}

function form(expected: string, received: string): BrokenCheck {
  return new BrokenCheck('form', expected, received);
}
