import { generateSecret, generateSync } from 'otplib';
import { isSameSecret } from '../../../../core/secrets/same-secret.ts';

/** Length of a time step in milliseconds (RFC 6238, section 4.1). */
const period = 30_000;
/** How many steps before and after the present one are accepted (RFC 6238, section 5.2). */
const tolerance = 1;
/** Maximum length of the percent-encoded label in a provisioning URL. It keeps the URL short enough for a QR code. */
const maxLabelLength = 200;

/** Returns a new TOTP secret: 160 random bits (RFC 4226, section 4), base32 without padding. */
export function newSecret(): string {
  return generateSecret({ length: 20 });
}

/** Returns the time step of a time in milliseconds since 1970. */
export function stepAt(milliseconds: number): number {
  return Math.floor(milliseconds / period);
}

/** Returns the code of one time step: HMAC-SHA-1, six digits. `secret` is base32. */
export function codeOfStep(secret: string, step: number): string {
  return generateSync({ strategy: 'hotp', secret, counter: step, digits: 6, algorithm: 'sha1' });
}

/** Returns the last time step whose code is acceptable at a time. */
export function latestStep(now: number): number {
  return stepAt(now) + tolerance;
}

/** Returns the accepted time steps that have this code: rarely two, because two steps may have the same code. */
export function matchingSteps({ secret, code, now }: { secret: string; code: string; now: number }): number[] {
  const steps = Array.from({ length: 2 * tolerance + 1 }, (_, index) => latestStep(now) - 2 * tolerance + index);
  return steps.filter((step) => isSameSecret(codeOfStep(secret, step), code));
}

/** Returns the URL for authenticator apps (Key URI Format). `{name}` and `{id}` in `label` are replaced. */
export function provisioningUrl(given: {
  issuer: string;
  label: string;
  identity: { readonly id: string; readonly name: string };
  secret: string;
}): string {
  const { id, name } = given.identity;
  const label = given.label.replace(/\{(name|id)\}/g, (_, key) => (key === 'id' ? id : name));
  const issuer = percentEncode(given.issuer);
  return `otpauth://totp/${issuer}:${percentEncode(label, maxLabelLength)}?issuer=${issuer}&secret=${given.secret}`;
}

/** Percent-encodes a text. Stops before the character that would exceed `maxLength`. */
function percentEncode(text: string, maxLength = Number.POSITIVE_INFINITY): string {
  let url = '';
  for (const character of text.toWellFormed()) {
    const next = encodeURIComponent(character);
    if (url.length + next.length > maxLength) break;
    url += next;
  }
  return url;
}
