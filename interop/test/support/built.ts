import { fileURLToPath } from 'node:url';

const built = (path: string) => fileURLToPath(new URL(`../../.build/${path}`, import.meta.url));
const source = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** What `npm run interop` builds before the tests. */
export const programs = {
  /** Router and command line of the open-source network. `EDGE_INTEROP_ROUTER` is the path of another one, such as 2.1. */
  ziti: process.env.EDGE_INTEROP_ROUTER ?? built('ziti'),
  goHost: built('host'),
  goDialer: built('dialer'),
  python: built('python/bin/python'),
  cHost: source('c/host.py'),
  cDialer: source('c/dialer.py'),
};
