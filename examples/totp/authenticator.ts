import { setTimeout as sleep } from 'node:timers/promises';
import { generateSync } from 'otplib';

const period = 30;
/** Seconds for a code to arrive before its time is over. */
const transit = 3;

/** Stands for the authenticator app on somebody's phone. */
export interface Authenticator {
  /** A code that was not used yet. The controller takes each once, up to one period early or late: it may have to wait. */
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
