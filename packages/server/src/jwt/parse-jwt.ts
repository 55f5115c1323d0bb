import { decodeBase64url } from './base64url.ts';
import type { InvalidJwt } from './broken-check.ts';
import { BrokenCheck, describeValue, invalidJwt } from './broken-check.ts';
import { isKid, kidForm } from './kid.ts';
import type { JsonObject } from './parse-object.ts';
import { parseObject } from './parse-object.ts';

/** Characters. */
const maxTokenLength = 8_192;
/** They bring a key, point to one, change what is signed, or must be understood (RFC 7515, 7516, 7797). */
const refusedParameters = ['crit', 'b64', 'jku', 'jwk', 'x5u', 'x5c', 'zip', 'enc'];
/** Media types, so the case does not matter (RFC 7515, section 4.1.9; RFC 9068, section 2.1). */
const types = ['jwt', 'application/jwt', 'at+jwt', 'application/at+jwt'];

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
 * Reads a JWT in compact form (RFC 7515, section 7.1) of at most 8,192 characters: three segments in canonical base64url, a
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
  if (token.length > maxTokenLength) throw form(`at most ${maxTokenLength} characters`, `${token.length} characters`);
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
    throw new BrokenCheck('header', 'no typ, or typ JWT or at+jwt', `typ ${describeValue(typ)}`);
  }
  if (typeof alg !== 'string') throw new BrokenCheck('header', 'alg: a text', `alg ${describeValue(alg)}`);
  if (!isKid(kid)) throw new BrokenCheck('header', `kid: ${kidForm}`, `kid ${describeValue(kid)}`);
  return { ...header, alg, kid };
}

function form(expected: string, received: string): BrokenCheck {
  return new BrokenCheck('form', expected, received);
}
