import { BrokenCheck, describeValue } from './broken-check.ts';
import type { JsonObject } from './parse-object.ts';

/** All in milliseconds; `at` since 1970. */
export interface TimeOptions {
  readonly at: number;
  readonly tolerance: number;
  readonly maxLifetime: number;
}

/**
 * Checks the times of the claims (RFC 7519, sections 4.1.4 to 4.1.6). `exp` is required.
 *
 * @throws BrokenCheck
 */
export function checkTimes(claims: JsonObject, { at, tolerance, maxLifetime }: TimeOptions): void {
  const expiry = timeOf(claims, 'exp');
  const notBefore = timeOf(claims, 'nbf');
  const issuedAt = timeOf(claims, 'iat');
  if (expiry === undefined) throw new BrokenCheck('claims', 'exp: a number of seconds', 'nothing');
  const latest = () => describeTime(at + tolerance);
  // The conditions say what must be true, so `NaN` fails each of them.
  if (!(at < expiry + tolerance)) {
    throw new BrokenCheck('expiry', `exp after ${describeTime(at - tolerance)}`, describeTime(expiry));
  }
  if (notBefore !== undefined && !(at >= notBefore - tolerance)) {
    throw new BrokenCheck('notBefore', `nbf not after ${latest()}`, describeTime(notBefore));
  }
  if (issuedAt !== undefined && !(at >= issuedAt - tolerance)) {
    throw new BrokenCheck('issuedAt', `iat not after ${latest()}`, describeTime(issuedAt));
  }
  const end = at + maxLifetime + tolerance;
  if (!(expiry <= end)) throw new BrokenCheck('lifetime', `exp not after ${describeTime(end)}`, describeTime(expiry));
}

/** Milliseconds since 1970. The claim is in seconds, with or without parts of a second (RFC 7519, section 2). */
function timeOf(claims: JsonObject, name: string): number | undefined {
  const value = Object.hasOwn(claims, name) ? claims[name] : undefined;
  if (value === undefined) return undefined;
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value * 1000;
  throw new BrokenCheck('claims', `${name}: a number of seconds`, describeValue(value));
}

function describeTime(time: number): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? `${time / 1000} seconds` : date.toISOString();
}
