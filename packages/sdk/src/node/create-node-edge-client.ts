import type { Fetch } from '../api/fetch.ts';
import type { EdgeClientOptions } from '../api/options.ts';
import type { SignIn } from '../api/sign-in.ts';
import { createEdgeClient as createPlainEdgeClient } from '../client/create-edge-client.ts';
import type { EdgeClient } from '../client/edge-client.ts';
import { isEdgeApiError } from '../errors/error-guards.ts';
import type { ExtendOptions } from './extend-certificate.ts';
import { extendCertificate } from './extend-certificate.ts';
import type { CertificateIdentity } from './identity-file.ts';
import type { IdentityState } from './mtls.ts';
import { identityStateOf } from './mtls.ts';
import type { ConnectionOptions } from './node-fetch.ts';
import { nodeFetch } from './node-fetch.ts';
import { readAuthorities } from './read-authorities.ts';
import type { ServiceConnections } from './service-connections.ts';
import { serviceConnections } from './service-connections.ts';

/**
 * Options of `createEdgeClient` in Node.
 *
 * @example
 * const options: NodeEdgeClientOptions = { caFile: '.edge-controller/pki/ca.pem' };
 * const edge = createEdgeClient('https://localhost:1280', options);
 */
export interface NodeEdgeClientOptions extends EdgeClientOptions, ConnectionOptions {
  /** Sends the requests. Default: `nodeFetch` with `ca`, `caFile` and `maxConnections`. */
  readonly fetch?: Fetch | undefined;
  /** PEM certificates of the CAs to trust, instead of those of the platform. Cannot be combined with `fetch`. */
  readonly ca?: string | readonly string[] | undefined;
  /** Path of a file with such certificates: `.edge-controller/pki/ca.pem`. It is read when the client is created. */
  readonly caFile?: string | undefined;
}

/** A client in Node. */
export interface NodeEdgeClient extends EdgeClient, ServiceConnections {
  /**
   * Renews the certificate of the signed-in identity. The client must use `mtls` and must have signed in with a
   * certificate of the network. The transport, and the identity file if it was made from one, then have the new
   * certificate. The old one stays until the controller has confirmed the new one. After a crash or a lost connection
   * the next call, or the next sign-in, finishes the renewal.
   *
   * @returns the new identity; save it if the transport was not made from a file
   * @throws EdgeApiError `CAN_NOT_UPDATE_AUTHENTICATOR` when the network has not issued the certificate, `UNAUTHORIZED`
   *   when the session was not made with it; EdgeNetworkError; TypeError without `mtls`
   * @example
   * const { isCertExtendRequested } = await edge.client.currentApiSession.get();
   * if (isCertExtendRequested) await edge.extendCertificate();
   */
  extendCertificate(options?: ExtendOptions): Promise<CertificateIdentity>;
}

/**
 * `createEdgeClient` for Node. It can trust a private CA, and with `fetch: mtls(…)` it presents a client certificate. It
 * keeps its connections open, 32 at most for each controller (`maxConnections`).
 *
 * @throws the file system error when `caFile` cannot be read; TypeError when `ca` or `caFile` has anything but certificates,
 *   when `ca`, `caFile` or `maxConnections` is combined with `fetch`, and for an unknown option.
 * @example createEdgeClient('https://localhost:1280', { caFile: '.edge-controller/pki/ca.pem' })
 */
export function createEdgeClient(
  url: string | URL | readonly (string | URL)[],
  options: NodeEdgeClientOptions = {},
): NodeEdgeClient {
  const { ca, caFile, maxConnections, ...rest } = options;
  const authorities = readAuthorities({ ca, caFile });
  if (rest.fetch !== undefined && (authorities !== undefined || maxConnections !== undefined))
    throw new TypeError('ca, caFile and maxConnections have no effect on a custom fetch; use one or the other');
  const fetch = rest.fetch ?? nodeFetch({ ca: authorities, maxConnections });
  const state = identityStateOf(fetch);
  const edge = createPlainEdgeClient(url, { ...rest, fetch });
  const [first = ''] = [url].flat();
  const { sessionHeader = 'svc-session', timeout = 30_000 } = rest;
  const connections = serviceConnections(edge, {
    ...{ url: first, sessionHeader, timeout },
    identity: () => state?.current() ?? null,
    authorities: () => authorities ?? state?.current().ca,
  });
  return withConnections(withRenewal(edge, state), connections);
}

function withConnections<E extends EdgeClient>(
  edge: E,
  { end, ...connections }: ReturnType<typeof serviceConnections>,
): E & ServiceConnections {
  const { dispose } = edge;
  const disposeAll = () => {
    end(new TypeError('the client was disposed of: create another one'));
    dispose();
  };
  return Object.assign(edge, {
    ...connections,
    dispose: disposeAll,
    [Symbol.asyncDispose]: async () => disposeAll(),
  });
}

function withRenewal(edge: EdgeClient, state: IdentityState | null): Omit<NodeEdgeClient, keyof ServiceConnections> {
  const { signIn } = edge;
  let running: Promise<CertificateIdentity> | null = null;

  async function extendOnce(options: ExtendOptions = {}): Promise<CertificateIdentity> {
    if (state === null) throw new TypeError('the client has no certificate: create it with `fetch: mtls(…)`');
    running ??= extendCertificate(edge.client, state, options).finally(() => {
      running = null;
    });
    return running;
  }

  const certificate: SignIn['certificate'] = async (info, options) => {
    try {
      return await signIn.certificate(info, options);
    } catch (error) {
      if (!isEdgeApiError(error, 'INVALID_AUTH') || !state?.pending()) throw error;
      // The controller may have confirmed a renewal whose response was lost.
      const session = await state.withPending(() => signIn.certificate(info, options));
      await state.adoptPending();
      return session;
    }
  };

  // The object must stay the same: `session` is a getter.
  return Object.assign(edge, { signIn: { ...signIn, certificate }, extendCertificate: extendOnce });
}
