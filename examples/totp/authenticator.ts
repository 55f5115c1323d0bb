import { setTimeout as sleep } from 'node:timers/promises';
import { generateSync } from 'otplib';

const period = 30;
/** Seconds that a code may take to arrive at the controller. */
const transit = 3;

/** Replaces the authenticator app on a phone. */
export interface Authenticator {
  /**
   * Returns an unused code. The controller accepts each code once, up to one period early or late, so this may have to
   * wait for the next code.
   */
  nextCode(): Promise<string>;
}

export function createAuthenticator(secret: string): Authenticator {
  const stepIn = (seconds: number) => Math.floor((Date.now() / 1_000 + seconds) / period);
  let used = -1;
  return {
    async nextCode() {
      used = Math.max(used + 1, stepIn(transit) - 1);
      while (used > stepIn(0) + 1) await sleep(500);
      return generateSync({ secret, epoch: used * period });
    },
  };
}
