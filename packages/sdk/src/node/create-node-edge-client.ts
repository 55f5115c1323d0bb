import { readFileSync } from 'node:fs';
import type { EdgeClient } from '../client.ts';
import { createEdgeClient as createPlainEdgeClient } from '../client.ts';
import { isEdgeApiError } from '../errors.ts';
import type { EdgeClientOptions } from '../options.ts';
import type { SignIn } from '../sign-in.ts';
import type { ExtendOptions } from './extend-certificate.ts';
import { extendCertificate } from './extend-certificate.ts';
import type { CertificateIdentity } from './identity-file.ts';
import type { IdentityState } from './mtls.ts';
import { identityStateOf } from './mtls.ts';
import { nodeFetch } from './node-fetch.ts';

export interface NodeEdgeClientOptions extends EdgeClientOptions {
  /** PEM certificates of the CAs to trust, instead of those of the platform. Cannot be combined with `fetch`. */
  readonly ca?: string | readonly string[] | undefined;
  /** Path of a file with such certificates: `.edge-controller/pki/ca.pem`. It is read when the client is created. */
  readonly caFile?: string | undefined;
}

/** A client in Node. */
export interface NodeEdgeClient extends EdgeClient {
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
 * `createEdgeClient` for Node. It can trust a private CA, and with `fetch: mtls(…)` it presents a client certificate.
 *
 * @throws the file system error when `caFile` cannot be read, TypeError when `ca` or `caFile` is combined with `fetch`.
 * @example createEdgeClient('https://localhost:1280', { caFile: '.edge-controller/pki/ca.pem' })
 */
export function createEdgeClient(url: string | URL, options: NodeEdgeClientOptions = {}): NodeEdgeClient {
  const { ca, caFile, ...rest } = options;
  const inline = ca === undefined ? [] : typeof ca === 'string' ? [ca] : ca;
  const authorities = caFile === undefined ? inline : [...inline, readFileSync(caFile, 'utf8')];
  if (authorities.length > 0 && rest.fetch !== undefined)
    throw new TypeError('ca and caFile have no effect on a custom fetch; use one or the other');
  const fetch = authorities.length === 0 ? rest.fetch : nodeFetch({ ca: authorities });
  return withRenewal(createPlainEdgeClient(url, { ...rest, fetch }), identityStateOf(fetch));
}

function withRenewal(edge: EdgeClient, state: IdentityState | null): NodeEdgeClient {
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
