import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import type { StartProblem } from '../core/start/start-error.ts';
import { StartError } from '../core/start/start-error.ts';

/** Paths of PEM files, as in the settings. `null`: not set. */
export interface BrowserFiles {
  readonly browserCertificate: string | null;
  readonly browserKey: string | null;
}

/** PEM; the chain begins with the server certificate. */
interface Pair {
  readonly cert: string;
  readonly key: string;
}

/** The certificate of the listener of the browsers, with its key. */
export interface BrowserKeys extends Pair {
  readonly certificate: X509Certificate;
}

/** Milliseconds before its end when whoever renews it is late. Public certificates live for 45 days or more. */
export const renewalWindow = 10 * 24 * 3_600_000;

type FileSetting = keyof BrowserFiles;

const variables = { browserCertificate: 'EDGE_BROWSER_CERTIFICATE', browserKey: 'EDGE_BROWSER_KEY' } as const;
const other = { browserCertificate: 'browserKey', browserKey: 'browserCertificate' } as const;

/**
 * Reads the certificate and the key that the settings name for browsers. Nothing else reads them: no client certificate is
 * trusted because of them. `null`: the settings name none.
 *
 * @throws StartError with the setting of each file that cannot be used
 */
export async function readBrowserKeys(files: BrowserFiles): Promise<BrowserKeys | null> {
  const { browserCertificate, browserKey } = files;
  if (browserCertificate === null && browserKey === null) return null;
  const read = await Promise.allSettled([readPart('browserCertificate', files), readPart('browserKey', files)]);
  const [cert, key] = read;
  if (cert.status === 'rejected' || key.status === 'rejected') {
    throw new StartError(read.flatMap((part) => (part.status === 'rejected' ? problemsOf(part.reason) : [])));
  }
  const certificate = checkPair({ cert: cert.value, key: key.value }, files);
  return { cert: cert.value, key: key.value, certificate };
}

async function readPart(setting: FileSetting, files: BrowserFiles): Promise<string> {
  const path = files[setting];
  if (path === null) {
    const given = other[setting];
    const fix = `set ${variables[setting]}, or remove ${variables[given]}`;
    throw failure({ setting, message: `${variables[given]} is set without ${variables[setting]}`, fix });
  }
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    const fix = `correct ${variables[setting]}, or let the user that runs the controller read the file`;
    throw failure({ setting, message: `${path} cannot be read (${code})`, fix });
  }
}

function checkPair({ cert, key }: Pair, { browserCertificate, browserKey }: BrowserFiles): X509Certificate {
  const certificate = parsed(() => new X509Certificate(cert), {
    setting: 'browserCertificate',
    message: `${browserCertificate} has no certificate in PEM`,
    fix: 'put the certificate of the server into the file, and those of its issuers behind it',
  });
  const isEncrypted = key.includes('ENCRYPTED');
  const privateKey = parsed(() => createPrivateKey(key), {
    setting: 'browserKey',
    message: `${browserKey} ${isEncrypted ? 'is encrypted' : 'has no private key in PEM'}`,
    fix: isEncrypted ? 'save the key without a passphrase' : 'put the private key of the certificate into the file',
  });
  if (!certificate.checkPrivateKey(privateKey)) {
    const message = `${browserKey} is not the key of the first certificate in ${browserCertificate}`;
    throw failure({ setting: 'browserKey', message, fix: 'name the files of one certificate and its key' });
  }
  parsed(() => createSecureContext({ cert, key }), {
    setting: 'browserCertificate',
    message: `TLS cannot use ${browserCertificate}`,
    fix: 'use an RSA key of 2,048 bits or more, or an EC key, and certificates that are not damaged',
  });
  return certificate;
}

type Failure = Pick<StartProblem, 'fix' | 'message'> & { readonly setting: FileSetting };

function parsed<T>(parse: () => T, problem: Failure): T {
  try {
    return parse();
  } catch (error) {
    throw failure(problem, error);
  }
}

function failure({ message, ...problem }: Failure, cause?: unknown): StartError {
  const whole = { ...problem, message: `The listener for browsers: ${message}`, kind: 'wrong' } as const;
  return new StartError([whole], { cause });
}

function problemsOf(error: unknown): readonly StartProblem[] {
  if (error instanceof StartError) return error.problems;
  throw error;
}
