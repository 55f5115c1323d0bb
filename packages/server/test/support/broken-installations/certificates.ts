import { chmodSync, copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRoot } from '../../../src/pki/certificates.ts';
import { openPki } from '../../../src/pki/pki.ts';
import { ca, issueWithOpenssl } from '../operator-pki.ts';
import type { Broken, Directories, Installation } from './installation.ts';
import { replaceFile } from './replace-file.ts';

const day = 86_400_000;
const year = 365 * day;
const certs = ['intermediate.pem', 'ca.pem'];

/** The files of the PKI, and of the listener for browsers. */
export const certificates: readonly Installation[] = [
  {
    name: 'no file of the certificate for browsers',
    ...{
      severity: 'error',
      check: 'browsers',
      message: /nothing\.pem cannot be read/,
      setIn: /EDGE_BROWSER_CERTIFICATE/,
    },
    fix: /correct EDGE_BROWSER_CERTIFICATE/,
    break: ({ beside, dataDir }) => browsers(dataDir, { EDGE_BROWSER_CERTIFICATE: join(beside, 'nothing.pem') }),
  },
  {
    name: 'a key that is not that of the certificate for browsers',
    ...{ severity: 'error', check: 'browsers', message: /is not the key of the first/, setIn: /EDGE_BROWSER_KEY/ },
    fix: /files of one certificate and its key/,
    break: ({ dataDir }) => browsers(dataDir, { EDGE_BROWSER_KEY: join(dataDir, 'pki/intermediate.key') }),
  },
  {
    name: 'a certificate for browsers of another name',
    ...{ severity: 'warning', check: 'browsers', message: /not valid for 192\.0\.2\.7/, setIn: /BROWSER_CERTIFICATE/ },
    fix: /set EDGE_BROWSER_ADDRESS/,
    break: ({ dataDir }) => browsers(dataDir, { EDGE_BROWSER_ADDRESS: '192.0.2.7:443' }),
  },
  {
    name: 'a certificate for browsers that has expired',
    ...{ severity: 'error', check: 'browsers', message: /own\.pem has expired/, setIn: /BROWSER_CERTIFICATE/ },
    fix: /renew the certificate/,
    break({ beside, dataDir }) {
      const extensions = ['basicConstraints=critical,CA:FALSE', 'subjectAltName=DNS:localhost'];
      issueWithOpenssl(beside, 'own', { subject: '/CN=own', key: 'p256', extensions, days: -1 });
      const [certificate, key] = [join(beside, 'own.pem'), join(beside, 'own.key')];
      return browsers(dataDir, { EDGE_BROWSER_CERTIFICATE: certificate, EDGE_BROWSER_KEY: key });
    },
  },
  {
    name: 'a certificate for browsers without a listener',
    ...{ severity: 'warning', check: 'browsers', message: /but no listener/, setIn: null },
    fix: /set EDGE_BROWSER_BIND/,
    break: () => ({ env: { EDGE_BROWSER_ADDRESS: 'localhost:443' } }),
  },
  {
    name: 'CAs that have expired',
    ...{ severity: 'error', check: 'certificates', message: /has expired/, setIn: /EDGE_DATA_DIR/ },
    fix: /restore the PKI from a backup/,
    break: (directories) => replacePki(directories, Date.now() - 20 * year, Date.now() - 20 * year),
  },
  {
    name: 'a root that expires soon',
    ...{ severity: 'warning', check: 'certificates', message: /ca\.pem expires in \d+ days/, setIn: /EDGE_DATA_DIR/ },
    fix: /replace the certificate/,
    break: (directories) => replacePki(directories, Date.now() - 3_630 * day, Date.now()),
  },
  {
    name: 'a key of another certificate',
    ...{ severity: 'error', check: 'certificates', message: /server\.key is not the key/, setIn: /EDGE_DATA_DIR/ },
    fix: /replace the file/,
    break(directories) {
      const other = readFileSync(join(directories.dataDir, 'pki/intermediate.key'), 'utf8');
      return replaceFile(directories, 'pki/server.key', other);
    },
  },
  {
    name: 'no root',
    ...{ severity: 'error', check: 'certificates', message: /ca\.pem missing/, setIn: /EDGE_DATA_DIR/ },
    fix: /restore the PKI from a backup/,
    break: (directories) => replaceFile(directories, 'pki/ca.pem', null),
  },
  {
    name: 'a CA of another chain',
    ...{ severity: 'error', check: 'certificates', message: /was not issued by ca\.pem/, setIn: /EDGE_DATA_DIR/ },
    fix: /replace the file/,
    break(directories) {
      issueWithOpenssl(directories.beside, 'root', { subject: '/CN=Another', key: 'p256', extensions: ca });
      return replaceFile(directories, 'pki/ca.pem', readFileSync(join(directories.beside, 'root.pem'), 'utf8'));
    },
  },
  {
    name: 'a server certificate of the operator for another host',
    ...{ severity: 'error', check: 'certificates', message: /is not valid for localhost/, setIn: /EDGE_DATA_DIR/ },
    fix: /replace the file/,
    break(directories) {
      const { dataDir, good, beside } = directories;
      for (const name of certs) copyFileSync(join(good, 'pki', name), join(beside, name));
      copyFileSync(join(good, 'pki/intermediate.key'), join(beside, 'intermediate.key'));
      const issue = (host: string) => {
        issueWithOpenssl(beside, 'server', {
          ...{ subject: `/CN=${host}`, key: 'p256', issuer: 'intermediate', days: 200 },
          extensions: [`subjectAltName=DNS:${host}`, 'extendedKeyUsage=serverAuth'],
        });
        for (const end of ['pem', 'key'])
          copyFileSync(join(beside, `server.${end}`), join(dataDir, `pki/server.${end}`));
        chmodSync(join(dataDir, 'pki/server.key'), 0o600);
      };
      issue('elsewhere.example');
      const env = { EDGE_API_ADDRESS: 'localhost:1280' };
      return {
        env,
        mend() {
          issue('localhost');
        },
        after: env,
      };
    },
  },
];

/** A PKI with a root that was made at another time, without its key, in place of the good one. */
async function replacePki({ dataDir, good }: Directories, rootAt: number, restAt: number): Promise<Broken> {
  const dir = join(dataDir, 'pki');
  rmSync(dir, { recursive: true });
  mkdirSync(dir, { mode: 0o700 });
  const root = await createRoot(rootAt, 'ec');
  writeFileSync(join(dir, 'ca.pem'), root.cert);
  writeFileSync(join(dir, 'root.key'), root.key, { mode: 0o600 });
  await openPki({ dir, names: [], clock: () => restAt });
  rmSync(join(dir, 'root.key'));
  return {
    mend() {
      rmSync(dir, { recursive: true });
      cpSync(join(good, 'pki'), dir, { recursive: true });
    },
  };
}

/** A listener for browsers with the server certificate of the installation, and what is wrong with it. */
function browsers(dataDir: string, wrong: Readonly<Record<string, string>>): Broken {
  const pki = join(dataDir, 'pki');
  const env = {
    EDGE_BROWSER_BIND: '127.0.0.1:0',
    EDGE_BROWSER_CERTIFICATE: join(pki, 'server.pem'),
    EDGE_BROWSER_KEY: join(pki, 'server.key'),
  };
  return { env: { ...env, ...wrong }, after: env };
}
