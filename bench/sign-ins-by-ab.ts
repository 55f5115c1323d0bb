import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Device } from './client-certificates.ts';
import { certificateSignInPath } from './client-certificates.ts';
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
export function signInsByAb(name: string, server: Server, { device, atOnce, directory }: Work): Contender {
  const [body, pem] = [join(directory, 'body.json'), join(directory, 'device.pem')];
  writeFileSync(body, '{}');
  writeFileSync(pem, device.cert + device.key, { mode: 0o600 });
  const url = server.url + certificateSignInPath;
  // It counts requests and not seconds, so the last rate says how many.
  let rate = 100;
  return {
    name,
    async measure(seconds): Promise<Figures> {
      const requests = Math.max(atOnce, Math.round(rate * seconds));
      const before = await server.cpu();
      const args = [
        '-q',
        '-l',
        '-c',
        `${atOnce}`,
        '-n',
        `${requests}`,
        '-p',
        body,
        '-T',
        'application/json',
        '-E',
        pem,
      ];
      const { stdout } = await promisify(execFile)('ab', [...args, url]);
      if (/Non-2xx/.test(stdout)) throw new Error(stdout);
      const elapsed = Number(/Time taken for tests:\s+([\d.]+)/.exec(stdout)?.[1]);
      const p99 = Number(/99%\s+(\d+)/.exec(stdout)?.[1]);
      rate = requests / elapsed;
      return { rate, p99, cpu: ((await server.cpu()) - before) / requests };
    },
  };
}
