import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Device } from './client-certificates.ts';
import { certificateSignInPath } from './client-certificates.ts';
import type { Load } from './load.ts';
import { isOnPath } from './load.ts';
import type { Contender, Figures } from './rounds.ts';
import type { Server } from './servers.ts';

/** Whether ApacheBench is on PATH. A generator in Node needs more CPU time for a handshake than the server. */
export const hasAb = isOnPath('ab');

interface Work {
  readonly device: Device;
  /** How many connections at once. */
  readonly atOnce: number;
  /** Gets the files of the device. */
  readonly directory: string;
}

/** Sign-ins with the certificate of a device, a connection and a full handshake for each, from ApacheBench. */
export function signInsByAb(name: string, server: Server, work: Work): Contender {
  const signIn = loadByAb(server.url, work);
  return {
    name,
    async measure(seconds): Promise<Figures> {
      const before = await server.cpu();
      const { requests, rate, p99 } = await signIn(seconds);
      return { rate, p99, cpu: ((await server.cpu()) - before) / requests };
    },
  };
}

/** Returns a function that sends such sign-ins for about so many seconds. */
export function loadByAb(server: string, { device, atOnce, directory }: Work): (seconds: number) => Promise<Load> {
  const [body, pem] = [join(directory, 'body.json'), join(directory, 'device.pem')];
  writeFileSync(body, '{}');
  writeFileSync(pem, device.cert + device.key, { mode: 0o600 });
  const url = server + certificateSignInPath;
  const always = ['-q', '-l', '-c', `${atOnce}`, '-p', body, '-T', 'application/json', '-E', pem];
  // It counts requests and not seconds, so the last rate says how many.
  let rate = 100;
  return async (seconds) => {
    const requests = Math.max(atOnce, Math.round(rate * seconds));
    const { stdout } = await promisify(execFile)('ab', [...always, '-n', `${requests}`, url]);
    if (/Non-2xx/.test(stdout)) throw new Error(stdout);
    rate = requests / Number(/Time taken for tests:\s+([\d.]+)/.exec(stdout)?.[1]);
    return { rate, requests, p99: Number(/99%\s+(\d+)/.exec(stdout)?.[1]) };
  };
}
