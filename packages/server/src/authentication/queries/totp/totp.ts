import { generateSecret, generateSync } from 'otplib';
import { isSameSecret } from '../../../lib/same-secret.ts';

/** Milliseconds of a time step (RFC 6238, section 4.1). */
const period = 30_000;
/** Steps before and after the present one whose codes are accepted (RFC 6238, section 5.2). */
const tolerance = 1;
/** Longest account in a provisioning URL, percent-encoded: a QR code of 256 pixels shows no more. */
const maxLabel = 200;

/** A new TOTP secret: 160 random bits (RFC 4226, section 4), base32 without padding. */
export function newSecret(): string {
  return generateSecret({ length: 20 });
}

/** The time step of a moment in milliseconds since 1970. */
export function stepAt(milliseconds: number): number {
  return Math.floor(milliseconds / period);
}

/** The code of one time step: HMAC-SHA-1, six digits. `secret` is base32. */
export function codeOfStep(secret: string, step: number): string {
  return generateSync({ strategy: 'hotp', secret, counter: step, digits: 6, algorithm: 'sha1' });
}

/**
 * The time step that a code belongs to, when it is later than `after`: a step whose code was accepted, or one before it,
 * is over for ever (RFC 6238, section 5.2). `null`: the code is not acceptable now.
 */
export function acceptableStep(given: {
  secret: string;
  code: string;
  now: number;
  after: number | null;
}): number | null {
  const present = stepAt(given.now);
  const steps = Array.from({ length: 2 * tolerance + 1 }, (_, index) => present - tolerance + index);
  const matching = steps.filter((step) => isSameSecret(codeOfStep(given.secret, step), given.code));
  // Two steps may share a code: taking the later one ends both.
  const latest = matching.at(-1);
  return latest !== undefined && latest > (given.after ?? -1) ? latest : null;
}

/** The URL that authenticator apps read, by the Key URI Format. `label` may hold `{name}` and `{id}`. */
export function provisioningUrl(given: {
  issuer: string;
  label: string;
  identity: { readonly id: string; readonly name: string };
  secret: string;
}): string {
  const { id, name } = given.identity;
  const label = given.label.replace(/\{(name|id)\}/g, (_, key) => (key === 'id' ? id : name));
  const issuer = encoded(given.issuer);
  return `otpauth://totp/${issuer}:${encoded(label, maxLabel)}?issuer=${issuer}&secret=${given.secret}`;
}

/** Percent-encodes whole characters as long as there is room. */
function encoded(text: string, room = Number.POSITIVE_INFINITY): string {
  let url = '';
  for (const character of text.toWellFormed()) {
    const next = encodeURIComponent(character);
    if (url.length + next.length > room) break;
    url += next;
  }
  return url;
}
