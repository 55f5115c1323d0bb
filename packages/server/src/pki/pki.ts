import { join } from 'node:path';
import type { Certificate } from '@edge-controller/certificate-path';
import { fileError } from '../core/start/file-problem.ts';
import { StartError } from '../core/start/start-error.ts';
import type { Clock } from '../core/time/clock.ts';
import { fingerprintOf } from './certificate-prints.ts';
import { canonicalNames, isOwnServer } from './check-server.ts';
import { completeIntermediate, completeServer, createPki, endOfPath } from './complete-pki.ts';
import { removeAbandoned } from './files.ts';
import type { FoundPki } from './inspect-pki.ts';
import { inspectPki, problemOf } from './inspect-pki.ts';
import { pemOf } from './pem.ts';
import { fileNames } from './read-pki-files.ts';
import type { KeyType } from './signing-key.ts';

/** The public key infrastructure of a controller, as it was when it was read. Certificates in buffers are DER. */
export interface Pki {
  /** Clients trust them. */
  readonly roots: readonly Buffer[];
  /** The first one signs. */
  readonly intermediates: readonly Buffer[];
  /** From the intermediate that signs to its root. */
  readonly signingPath: readonly Buffer[];
  readonly signingKeyPem: string;
  /** Milliseconds since 1970 when the first certificate of `signingPath` ends. */
  readonly endsAt: number;
  /** SubjectPublicKeyInfo of the keys that no client may have. */
  readonly reservedKeys: readonly Buffer[];
  readonly serverKeyPem: string;
  /** PEM of the server certificate and its issuers, without the root. */
  readonly serverCertChainPem: string;
  /** PEM of the server certificate and its issuers up to the root, one text each. */
  readonly serverPath: readonly string[];
  /** SHA-1 of the server certificate, in lower-case hex. */
  readonly serverKid: string;
  readonly trustDomain: string;
  /** When the certificates end without which the controller cannot go on. */
  readonly ends: readonly CertificateEnd[];
}

interface CertificateEnd {
  readonly file: string;
  readonly subject: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** The public key infrastructure of a running controller. */
export interface LivePki {
  readonly current: Pki;
  /**
   * Renews what expires soon, as far as the keys are there, and reads the files again.
   *
   * @throws StartError when the files cannot be used; `current` then stays as it is
   */
  refresh(): Promise<void>;
}

export interface PkiOptions {
  readonly dir: string;
  /** DNS names and IP addresses of the server certificate, beside those of the machine itself. */
  readonly names: readonly string[];
  readonly clock: Clock;
  /** The kind of the keys that are created. Default: `ec`. */
  readonly keyType?: KeyType;
  /** The host of `edge.api.address`, which the server certificate must have, too. */
  readonly host?: string | null;
  /** Default: it comes from the certificates. */
  readonly trustDomain?: string | null;
}

/** The names of the files with private keys. */
export const keyFiles: readonly string[] = Object.values(fileNames).map(({ key }) => key);
const localNames = ['localhost', '127.0.0.1', '::1'];

/**
 * Opens the PKI in `dir`. On the first start it creates a root, an intermediate that signs, and a server certificate. An
 * operator may bring any of them: what is missing is issued by the one above. The server certificate that the controller
 * issued is issued again when the names have changed. Several processes may open the same directory at the same time.
 *
 * @throws StartError with all problems
 */
export async function openPki(options: PkiOptions): Promise<LivePki> {
  const { dir, clock, keyType = 'ec', host = null, trustDomain = null } = options;
  const inspect = () => inspectPki({ dir, host, trustDomain }, clock());
  const names = canonicalNames([...localNames, ...options.names, ...(host === null ? [] : [host])]);
  const attempt = async <T>(work: () => Promise<T>) => {
    try {
      return await work();
    } catch (error) {
      throw fileError(dir, error);
    }
  };
  const read = async (names: readonly string[] | null): Promise<Pki> => {
    let found = await inspect();
    if (found.files.missing.length === 6 && names !== null) {
      await createPki(dir, { names, keyType, now: clock() });
      found = await inspect();
    }
    if (await completeIntermediate(dir, found, { now: clock(), keyType })) found = await inspect();
    const server = { now: clock(), keyType, names };
    if (await completeServer(dir, found, server)) found = await inspect();
    return result(dir, found);
  };
  await attempt(() => removeAbandoned(dir, clock()));
  let current = await attempt(() => read(names));
  return {
    get current() {
      return current;
    },
    async refresh() {
      // The names only count at the start: processes with different names would replace the certificate in turn.
      const next = await attempt(() => read(null));
      // The same buffers as long as nothing has changed: what was read from them is kept.
      if (JSON.stringify(next) !== JSON.stringify(current)) current = next;
    },
  };
}

/** @throws StartError when something is wrong with what was found */
function result(dir: string, found: FoundPki): Pki {
  const { files, path, serverPath, trustDomain } = found;
  const problems = [...found.problems, ...found.serverProblems];
  const [leaf] = serverPath;
  const signingKeyPem = files.intermediate.keyPem;
  const serverKeyPem = files.server.keyPem;
  if (problems.length > 0) throw new StartError(problems);
  if (path && !leaf) throw new StartError([problemOf(`${join(dir, fileNames.server.cert)} is missing`)]);
  if (!path || !leaf || signingKeyPem === null || serverKeyPem === null) {
    throw new Error('the PKI is neither complete nor wrong');
  }
  const derOf = ({ der }: Certificate) => der;
  return {
    roots: files.root.certificates.map(derOf),
    intermediates: files.intermediate.certificates.map(derOf),
    signingPath: path.map(derOf),
    signingKeyPem,
    endsAt: endOfPath(path),
    reservedKeys: [files.root, files.intermediate, files.server].flatMap(({ certificates }) =>
      certificates.map(({ spki }) => spki),
    ),
    serverKeyPem,
    serverCertChainPem: pemOf(serverPath.slice(0, -1)),
    serverPath: serverPath.map((der) => pemOf([der])),
    serverKid: fingerprintOf(leaf),
    trustDomain,
    ends: endsOf(path, files.server.certificates),
  };
}

/** The controller renews its own server certificate as long as its issuers are valid. */
function endsOf(path: readonly Certificate[], [server]: readonly Certificate[]): CertificateEnd[] {
  const end = (file: string, { subject, notAfter }: Certificate) => ({
    file,
    subject: subject.text,
    at: notAfter * 1000,
  });
  const cas = path.map((certificate, index) => {
    const { root, intermediate } = fileNames;
    return end(index === path.length - 1 ? root.cert : intermediate.cert, certificate);
  });
  return server && !isOwnServer(server) ? [...cas, end(fileNames.server.cert, server)] : cas;
}
