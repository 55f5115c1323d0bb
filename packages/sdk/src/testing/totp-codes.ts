import { createHmac } from 'node:crypto';
import type { TestClock } from './test-clock.ts';

const period = 30_000;
/** Milliseconds that a code may take to arrive at the controller. */
const transit = 3_000;
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/**
 * Creates an authenticator app (RFC 6238: SHA-1, 6 digits, 30 seconds) with the clock of a controller. The controller
 * accepts each code once, and up to one period early or late, so the app has up to three codes at any time. When they are
 * used up, it advances the clock by as much as the next code needs.
 */
export function createTotpCodes(clock: TestClock): (secretOrUrl: string) => string {
  const lastSteps = new Map<string, number>();
  return (secretOrUrl) => {
    const secret = secretOf(secretOrUrl);
    const first = Math.floor((clock.now() + transit) / period) - 1;
    const step = Math.max((lastSteps.get(secret) ?? 0) + 1, first);
    lastSteps.set(secret, step);
    void clock.advance(Math.max(0, (step - 1) * period - clock.now()));
    return codeOf(secret, step);
  };
}

/** Does not use `URL`, because a controller may leave a `#` in the name unescaped. */
function secretOf(secretOrUrl: string): string {
  const secret = /[?&]secret=([^&#]+)/i.exec(secretOrUrl)?.[1] ?? secretOrUrl;
  const normal = secret.toUpperCase().replace(/[\s=]/g, '');
  if (!/^[A-Z2-7]+$/.test(normal)) throw new TypeError('a TOTP needs a base32 secret or an otpauth:// URL');
  return normal;
}

function codeOf(secret: string, step: number): string {
  const bits = [...secret].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', key).update(counter).digest();
  const number = mac.readUInt32BE(mac.readUInt8(mac.length - 1) & 15) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, '0');
}
