import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

type KeyKind = 'P-256' | 'P-384' | 'P-521' | 'RSA' | 'weak RSA' | 'Ed25519';

export interface Issued {
  /** PEM. */
  readonly key: string;
  readonly cert: string;
}

interface Leaf {
  readonly subject?: string;
  /** `DNS:localhost`, `IP:127.0.0.1`. */
  readonly names?: string;
  readonly days?: number;
  readonly keyKind?: KeyKind;
  /** Lines as `basicConstraints=critical,CA:TRUE`. */
  readonly extensions?: readonly string[];
  /** A CA below the authority. Default: the authority itself. */
  readonly issuer?: Issued;
}

/** A CA that OpenSSL runs in a directory of its own. */
export interface Authority extends Disposable {
  /** PEM of its certificate. */
  readonly ca: string;
  issue(leaf?: Leaf): Issued;
  /** PEM of a certificate for the key of a CSR. */
  sign(csr: string): string;
  /** The certificate of the CA as `/.well-known/est/cacerts` sends it. */
  bundle(): string;
}

export function createAuthority(): Authority {
  const directory = mkdtempSync(join(tmpdir(), 'edge-sdk-ca-'));
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: directory, stdio: 'pipe' });
  const read = (name: string) => readFileSync(join(directory, name), 'utf8');
  const issuer = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial'];
  openssl('req', '-x509', ...newKey('P-256'), '-nodes', '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=ca');
  return {
    ca: read('ca.pem'),
    issue({ subject = 'client', names, days = 30, keyKind = 'P-256', extensions = [], issuer: other } = {}) {
      const lines = [...extensions, ...(names === undefined ? [] : [`subjectAltName=${names}`])];
      writeFileSync(join(directory, 'extensions'), lines.map((line) => `${line}\n`).join(''));
      if (other) {
        writeFileSync(join(directory, 'other.pem'), other.cert);
        writeFileSync(join(directory, 'other.key'), other.key);
      }
      const by = other ? ['-CA', 'other.pem', '-CAkey', 'other.key', '-CAcreateserial'] : issuer;
      openssl(
        'req',
        ...newKey(keyKind),
        '-nodes',
        '-keyout',
        'leaf.key',
        '-out',
        'leaf.csr',
        '-subj',
        `/CN=${subject}`,
      );
      const issue = ['x509', '-req', '-in', 'leaf.csr', ...by, '-days', `${days}`, '-extfile', 'extensions'];
      openssl(...issue, '-out', 'leaf.pem');
      return { key: read('leaf.key'), cert: read('leaf.pem') };
    },
    sign(csr) {
      writeFileSync(join(directory, 'client.csr'), csr);
      openssl('x509', '-req', '-in', 'client.csr', ...issuer, '-days', '30', '-out', 'client.pem');
      return read('client.pem');
    },
    bundle() {
      const pem = openssl('crl2pkcs7', '-nocrl', '-certfile', 'ca.pem').toString();
      return pem.replace(/-----.*-----/g, '').trim();
    },
    [Symbol.dispose]() {
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** What OpenSSL says about a CSR. It throws when the signature is wrong. */
export function describeCsr(csr: string): string {
  return execFileSync('openssl', ['req', '-verify', '-noout', '-text'], { input: csr, stdio: 'pipe' }).toString();
}

function newKey(kind: KeyKind): string[] {
  if (kind === 'Ed25519') return ['-newkey', 'ed25519'];
  if (kind === 'weak RSA') return ['-newkey', 'rsa:1024'];
  return kind === 'RSA' ? ['-newkey', 'rsa:2048'] : ['-newkey', 'ec', '-pkeyopt', `ec_paramgen_curve:${kind}`];
}
