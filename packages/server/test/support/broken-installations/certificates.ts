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

/** The files of the PKI. */
export const certificates: readonly Installation[] = [
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
