import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Wire } from './request.ts';

const period = 30_000;
/** A code that is sent now is judged within this time. */
const transit = 3_000;

/** What an authenticator app reads the time from. */
export interface TestTime {
  now(): number;
  /** Lets this many milliseconds pass. */
  pass(milliseconds: number): Promise<void>;
}

export const realTime: TestTime = { now: () => Date.now(), pass: (milliseconds) => sleep(milliseconds) };

/** A clock that moves only when it is told to, for `startController({ clock })`. */
export function testTime(start = Date.now()): TestTime & { clock: () => number; set(milliseconds: number): void } {
  let now = start;
  return {
    clock: () => now,
    now: () => now,
    set: (milliseconds) => {
      now = milliseconds;
    },
    pass: async (milliseconds) => {
      now += milliseconds;
    },
  };
}

/** An authenticator app, written anew from RFC 6238 so that the controller is not tested with itself. */
export interface Authenticator {
  /** The code shown at a moment. */
  at(milliseconds: number): string;
  /** The next code that a controller accepts which was given all former ones; lets time pass when there is none yet. */
  next(): Promise<string>;
  /** Six digits that are no acceptable code now. */
  wrong(): string;
}

export function readTotp(provisioningUrl: string, time: TestTime = realTime): Authenticator {
  const key = base32(new URL(provisioningUrl).searchParams.get('secret') ?? '');
  const code = (step: number) => {
    const counter = Buffer.alloc(8);
    counter.writeBigUInt64BE(BigInt(step));
    const mac = createHmac('sha1', key).update(counter).digest();
    const offset = mac.readUInt8(mac.length - 1) & 15;
    return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0');
  };
  const stepAt = (milliseconds: number) => Math.floor(milliseconds / period);
  let used = 0;
  return {
    at: (milliseconds) => code(stepAt(milliseconds)),
    async next() {
      used = Math.max(used + 1, stepAt(time.now() + transit) - 1);
      const early = (used - 1) * period - time.now();
      if (early > 0) await time.pass(early + 1);
      return code(used);
    },
    wrong() {
      const present = stepAt(time.now());
      const right = new Set([-2, -1, 0, 1, 2, 3].map((offset) => code(present + offset)));
      let guess = 0;
      while (right.has(String(guess).padStart(6, '0'))) guess += 1;
      return String(guess).padStart(6, '0');
    },
  };
}

/** Paths of TOTP and of what it guards. */
export function totpPaths(api: 'client' | 'management') {
  const root = `/edge/${api}/v1`;
  return {
    session: `${root}/current-api-session`,
    identity: `${root}/current-identity`,
    answer: `${root}/authenticate/mfa`,
    mfa: `${root}/current-identity/mfa`,
    verify: `${root}/current-identity/mfa/verify`,
    qrCode: `${root}/current-identity/mfa/qr-code`,
    recoveryCodes: `${root}/current-identity/mfa/recovery-codes`,
  };
}

/** Enrolls the identity of a session in TOTP and verifies it. */
export async function enrollTotp(
  wire: Wire,
  token: string,
  { time = realTime, api = 'client' }: { time?: TestTime; api?: 'client' | 'management' } = {},
): Promise<{ totp: Authenticator; recoveryCodes: string[]; provisioningUrl: string }> {
  const { mfa, verify } = totpPaths(api);
  expectStatus(201, await wire('POST', mfa, { token }));
  const { provisioningUrl, recoveryCodes } = (await wire('GET', mfa, { token })).body.data;
  const totp = readTotp(provisioningUrl, time);
  expectStatus(200, await wire('POST', verify, { token, body: { code: await totp.next() } }));
  return { totp, recoveryCodes, provisioningUrl };
}

function expectStatus(status: number, answer: { status: number; text: string }): void {
  if (answer.status !== status) throw new Error(`expected ${status}, got ${answer.status}: ${answer.text}`);
}

function base32(text: string): Buffer {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  const bits = [...text].map((character) => alphabet.indexOf(character).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
