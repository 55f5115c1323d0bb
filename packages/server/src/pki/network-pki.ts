import type { CertificatePrints } from './certificate-prints.ts';

/** What handlers need of the public key infrastructure of the controller. A renewal changes what it returns. */
export interface NetworkPki {
  /** `spiffe://<trustDomain>/…` is in the certificates that the network issues. */
  readonly trustDomain: string;
  /** PEM of the CA certificates that clients trust, the same as `/.well-known/est/cacerts`. */
  readonly caPem: string;
  /**
   * DER of the own CA certificates: `roots`, and the `intermediates` that have issued certificates. They are the same
   * buffers until a renewal.
   */
  readonly anchors: { readonly roots: readonly Buffer[]; readonly intermediates: readonly Buffer[] };
  /**
   * Issues a client certificate for the key of a CSR.
   *
   * @throws ApiError `COULD_NOT_PROCESS_CSR` when the CSR is not exactly one PEM block with a valid signature, or has a
   *   weak key
   */
  issueClientCertificate(request: ClientCertificateRequest): Promise<SignedCertificate>;
  /**
   * Issues a certificate of a router for the key of a CSR.
   *
   * @throws ApiError `COULD_NOT_PROCESS_CSR` as above, and when a router cannot have a name that the CSR requests
   */
  issueRouterCertificate(request: RouterCertificateRequest): Promise<SignedCertificate>;
}

export interface ClientCertificateRequest {
  /** PKCS#10 in PEM. Its subject is copied, its extensions are ignored. */
  readonly csr: string;
  /** The common name, instead of the subject of the CSR. */
  readonly commonName?: string;
  /** The URI in the subject alternative name. */
  readonly uri: string;
  /** DER of the certificate whose subject alternative names are copied instead of `uri`. */
  readonly namesOf?: Buffer;
  /** Milliseconds since 1970. */
  readonly notBefore: number;
  readonly notAfter: number;
}

export interface RouterCertificateRequest {
  /** PKCS#10 in PEM. Its subject and its subject alternative names are copied; other extensions are ignored. */
  readonly csr: string;
  /** `client`: the router connects with it. `server`: clients of the router meet it. */
  readonly usage: 'client' | 'server';
  /** Milliseconds since 1970. */
  readonly notBefore: number;
  readonly notAfter: number;
}

export interface SignedCertificate extends CertificatePrints {
  /** PEM of the certificate alone. */
  readonly certPem: string;
  /** PEM of the certificate and its intermediates, without the root. */
  readonly chainPem: string;
}
