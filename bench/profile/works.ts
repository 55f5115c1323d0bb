import { join } from 'node:path';
import { sessionPath, signIn } from '../call.ts';
import { enrollDevice } from '../client-certificates.ts';
import { hasWrk, load } from '../load.ts';
import { hasAb, loadByAb } from '../sign-ins-by-ab.ts';

/** What a controller does while it is profiled. A generator in its process would be in the profile. */
interface ProfiledWork {
  /** The program that sends the requests. */
  readonly generator: string;
  readonly isThere: boolean;
  /** Returns a function that sends requests for so many seconds, and resolves to their number. */
  prepare(url: string, directory: string): Promise<(seconds: number) => Promise<number>>;
}

const identities = '/edge/management/v1/identities';

export const works: Readonly<Record<string, ProfiledWork>> = {
  'session-checks': {
    generator: 'wrk',
    isThere: hasWrk,
    async prepare(url) {
      const work = { url: url + sessionPath, connections: 32, token: await signIn(url) };
      return async (seconds) => (await load({ ...work, seconds })).requests;
    },
  },
  'certificate-sign-ins': {
    generator: 'ab',
    isThere: hasAb,
    async prepare(url, directory) {
      const files = join(directory, 'device');
      const send = loadByAb(url, { device: await enrollDevice(url, files), atOnce: 8, directory: files });
      return async (seconds) => (await send(seconds)).requests;
    },
  },
  'identity-creates': {
    generator: 'wrk',
    isThere: hasWrk,
    async prepare(url) {
      const body = JSON.stringify({ name: 'identity [<id>]', type: 'User', isAdmin: false });
      const work = { url: url + identities, connections: 32, token: await signIn(url), body };
      return async (seconds) => (await load({ ...work, seconds })).requests;
    },
  },
};
