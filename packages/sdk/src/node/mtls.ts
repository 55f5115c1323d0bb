import type { SecureContext } from 'node:tls';
import { createSecureContext } from 'node:tls';
import type { ClientIdentity } from '../api/enroll.ts';
import type { Fetch } from '../api/fetch.ts';
import type { CertificateIdentity, IdentityFile } from './identity-file.ts';
import { hasCertificate, readIdentityFile, writeIdentityFile } from './identity-file.ts';
import type { Agents, ConnectionOptions, NodeFetch } from './node-fetch.ts';
import { closeIdle, createAgents, fetchWith } from './node-fetch.ts';

/** A `fetch` that presents a client certificate. */
export interface Mtls extends NodeFetch {
  /** The identity in use. A renewal replaces it. */
  readonly identity: CertificateIdentity;
}

/** The identity of a transport and its renewal. Each change is in the file before it counts. */
export interface IdentityState {
  current(): CertificateIdentity;
  pending(): CertificateIdentity | null;
  /** Keeps a renewed certificate beside the current one, or removes it with `null`. */
  setPending(pending: CertificateIdentity | null): Promise<void>;
  /** Replaces the identity by the pending one. Later requests use new connections. */
  adoptPending(): Promise<void>;
  /** Presents the pending certificate while `run` runs. */
  withPending<T>(run: () => Promise<T>): Promise<T>;
}

const states = new WeakMap<Fetch, IdentityState>();

/**
 * Creates a `fetch` over `node:https` that presents a client certificate, for `createEdgeClient(url, { fetch })`. It
 * trusts the CA certificates of the identity (`ca`), or those of the platform without them. It keeps its connections
 * alive. It does not resume TLS sessions, because a resumed session shows no client certificate to the controller.
 *
 * @param source The identity, or the path of an identity file. `edge.extendCertificate` keeps this file up to date.
 * @throws TypeError when key or certificate are missing or do not belong together; see `loadIdentity` for files
 * @example
 * const edge = createEdgeClient('https://localhost:1280', { fetch: mtls('sensor.json') });
 * await edge.signIn.certificate();
 */
export function mtls(source: ClientIdentity | string, options: ConnectionOptions = {}): Mtls {
  const path = typeof source === 'string' ? source : null;
  const { identity, pending: stored } =
    path === null ? { identity: source as ClientIdentity, pending: null } : readIdentityFile(path);
  if (!hasCertificate(identity)) throw new TypeError('the identity needs a key and a certificate');
  let state = { identity, pending: stored };
  let presented: CertificateIdentity = identity;
  let agents = agentsOf(identity, options);

  async function change(next: { identity: CertificateIdentity; pending: CertificateIdentity | null }): Promise<void> {
    if (path !== null) await writeIdentityFile(path, next satisfies IdentityFile);
    state = next;
  }

  function present(next: CertificateIdentity): void {
    if (next === presented) return;
    closeIdle(agents);
    agents = agentsOf(next, options);
    presented = next;
  }

  const fetch = Object.defineProperty(
    fetchWith(() => agents),
    'identity',
    { get: () => state.identity, enumerable: true },
  ) as Mtls;
  states.set(fetch, {
    current: () => state.identity,
    pending: () => state.pending,
    setPending: (pending) => change({ ...state, pending }),
    async adoptPending() {
      if (state.pending === null) return;
      const { pending } = state;
      await change({ identity: { ...state.identity, ...pending }, pending: null });
      present(state.identity);
    },
    async withPending(run) {
      if (state.pending !== null) present(state.pending);
      try {
        return await run();
      } finally {
        present(state.identity);
      }
    },
  });
  return fetch;
}

/** The state of a transport that `mtls` has made, or `null`. */
export function identityStateOf(fetch: Fetch | undefined): IdentityState | null {
  return (fetch && states.get(fetch)) ?? null;
}

function agentsOf(identity: CertificateIdentity, options: ConnectionOptions): Agents {
  return createAgents({ maxCachedSessions: 0, secureContext: secureContextOf(identity) }, options);
}

function secureContextOf({ key, cert, ca }: CertificateIdentity): SecureContext {
  try {
    return createSecureContext({ key, cert, ca });
  } catch (error) {
    throw new TypeError('the key and the certificate are damaged or do not belong together', { cause: error });
  }
}
