import { setTimeout as sleep } from 'node:timers/promises';
import { generateSync } from 'otplib';

const period = 30;

/** Stands for the authenticator app on somebody's phone. */
export interface Authenticator {
  /** A code that was not used yet. The controller takes each once, up to one period early or late: it may have to wait. */
  nextCode(): Promise<string>;
}

export function createAuthenticator(secret: string): Authenticator {
  let used = Math.floor(Date.now() / 1_000 / period) - 2;
  return {
    async nextCode() {
      const now = () => Math.floor(Date.now() / 1_000 / period);
      used = Math.max(used + 1, now() - 1);
      while (used > now() + 1) await sleep(500);
      return generateSync({ secret, epoch: used * period });
    },
  };
}
