import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const keys = {
  p256: ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256'],
  p384: ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-384'],
  p521: ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-521'],
  rsa: ['-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:2048'],
  weak: ['-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:1024'],
  ed25519: ['-algorithm', 'ED25519'],
} as const;

export type KeyName = keyof typeof keys;

const made = new Map<string, string>();

/** PEM of a private key. The same one for the same owner: it takes long to make an RSA key. */
export function keyOf(name: KeyName, owner: string): string {
  const id = `${name} ${owner}`;
  const key = made.get(id) ?? openssl(['genpkey', ...keys[name]]);
  made.set(id, key);
  return key;
}

export interface OperatorPkiOptions {
  /** From the root down to the intermediate that signs. Default: two P-256 keys. */
  readonly levels?: readonly KeyName[];
  /** Lines for the extensions of the intermediate that signs. */
  readonly signing?: readonly string[];
  readonly rootExtensions?: readonly string[];
  /** Days that the intermediates are valid; default 1,000. */
  readonly days?: number;
}

export function openssl(args: readonly string[], input?: string): string {
  return execFileSync('openssl', args, { input, encoding: 'utf8', stdio: ['pipe', 'pipe', 'ignore'] });
}

export const ca = ['basicConstraints=critical,CA:TRUE', 'keyUsage=critical,keyCertSign,cRLSign'];
const identifiers = ['subjectKeyIdentifier=hash', 'authorityKeyIdentifier=keyid'];

/** A certificate and its key as OpenSSL makes them. `issuer`: none signs itself. */
export function issueWithOpenssl(
  dir: string,
  name: string,
  options: { subject: string; key: KeyName; extensions: readonly string[]; issuer?: string; days?: number },
): void {
  const file = (part: string) => join(dir, part);
  writeFileSync(file(`${name}.key`), keyOf(options.key, name));
  writeFileSync(file(`${name}.cnf`), [...options.extensions, ...identifiers].join('\n'));
  const csr = openssl(['req', '-new', '-key', file(`${name}.key`), '-subj', options.subject]);
  const signer = options.issuer
    ? ['-CA', file(`${options.issuer}.pem`), '-CAkey', file(`${options.issuer}.key`)]
    : ['-signkey', file(`${name}.key`)];
  const days = ['-days', String(options.days ?? 1_000)];
  const cert = openssl(['x509', '-req', ...signer, ...days, '-extfile', file(`${name}.cnf`)], csr);
  writeFileSync(file(`${name}.pem`), cert);
}

/**
 * A PKI directory as an operator makes it with OpenSSL: `ca.pem`, `intermediate.pem` with all levels below the root, and
 * `intermediate.key`. All parts are also in `<dir>/work`.
 */
export async function createOperatorPki(dir: string, options: OperatorPkiOptions = {}): Promise<string> {
  const { levels = ['p256', 'p256'], signing = [], rootExtensions = [], days } = options;
  const work = join(dir, 'work');
  mkdirSync(work, { recursive: true });
  const names = levels.map((_, index) => (index === 0 ? 'root' : `level-${index}`));
  levels.forEach((key, index) => {
    const issuer = names[index - 1];
    const extra = index === 0 ? rootExtensions : index === levels.length - 1 ? signing : [];
    const base = extra.some((line) => line.startsWith('basicConstraints')) ? ca.slice(1) : ca;
    issueWithOpenssl(work, names[index]!, {
      subject: `/O=An operator/CN=${names[index]}`,
      key,
      extensions: [...base, ...extra],
      ...(issuer && { issuer, ...(days && { days }) }),
    });
  });
  const read = (name: string) => readFileSync(join(work, name), 'utf8');
  writeFileSync(join(dir, 'ca.pem'), read('root.pem'));
  const below = names.slice(1).reverse();
  writeFileSync(join(dir, 'intermediate.pem'), below.map((name) => read(`${name}.pem`)).join(''));
  writeFileSync(join(dir, 'intermediate.key'), read(`${below[0]}.key`));
  return dir;
}
