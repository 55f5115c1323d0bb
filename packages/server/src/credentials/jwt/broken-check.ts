/** What is checked of a JWT, in this order. */
export const jwtChecks = [
  'form',
  'header',
  'key',
  'algorithm',
  'signature',
  'claims',
  'expiry',
  'notBefore',
  'issuedAt',
  'lifetime',
] as const;

/** The name of a check of `verifyJwt`. */
export type JwtCheckName = (typeof jwtChecks)[number];

/** The verdict of one check. The texts are for an administrator: they never contain the token or its signature. */
export interface JwtCheck<Name extends string = JwtCheckName> {
  readonly check: Name;
  readonly passed: boolean;
  /** Only when the check failed. At most 256 characters. */
  readonly expected?: string;
  /** Only when the check failed. At most 256 characters. */
  readonly received?: string;
}

/** A JWT that must not be trusted. */
export interface InvalidJwt {
  readonly valid: false;
  /** The first check that failed. */
  readonly failed: JwtCheckName;
  /** The checks up to the one that failed. */
  readonly checks: readonly JwtCheck[];
}

/** Characters of a text for an administrator. */
const maxExcerpt = 256;

/** A check of a JWT failed. */
export class BrokenCheck extends Error {
  override readonly name = 'BrokenCheck';
  readonly check: JwtCheckName;
  readonly expected: string;
  readonly received: string;

  constructor(check: JwtCheckName, expected: string, received: string) {
    super(`${check}: expected ${expected}`);
    this.check = check;
    this.expected = excerpt(expected);
    this.received = excerpt(received);
  }
}

/** Describes a value of a header or of the claims as JSON of at most 256 characters. */
export function describeValue(value: unknown): string {
  return value === undefined ? 'nothing' : excerpt(JSON.stringify(value) ?? typeof value);
}

export function invalidJwt({ check, expected, received }: BrokenCheck): InvalidJwt {
  const before = jwtChecks.slice(0, jwtChecks.indexOf(check));
  const passed = before.map((name): JwtCheck => ({ check: name, passed: true }));
  return { valid: false, failed: check, checks: [...passed, { check, passed: false, expected, received }] };
}

function excerpt(text: string): string {
  return text.length <= maxExcerpt ? text : `${text.slice(0, maxExcerpt - 1).toWellFormed()}…`;
}
