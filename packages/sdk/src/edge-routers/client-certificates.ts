import { X509Certificate } from 'node:crypto';
import type { CallOptions } from '../api/call-options.ts';
import { clientKeys, privateKeyPem } from '../enrollment/client-keys.ts';
import { createCsr } from '../enrollment/csr.ts';
import type { Credentials, RouterParts } from './router-parts.ts';

/** Milliseconds. A certificate that ends sooner is replaced. */
const minLife = 5 * 60_000;
/** Milliseconds. Within this time, a router may not know a new certificate yet. */
const spreadTime = 5_000;

interface Issued {
  readonly credentials: Promise<Credentials>;
  readonly at: number;
}

/**
 * The certificates that a client shows to edge routers: the one of the client, if the session was opened with it, and otherwise one
 * that the controller issues for the session.
 */
export class ClientCertificates {
  readonly #parts: RouterParts;
  readonly #commonName: string;
  #refused: string | undefined;
  #issued: Issued | undefined;

  constructor(parts: RouterParts, commonName: string) {
    this.#parts = parts;
    this.#commonName = commonName;
  }

  async current(options: CallOptions): Promise<Credentials> {
    const identity = this.#parts.identity();
    // Nobody but the router knows whether the session was opened with it.
    if (identity && identity.cert !== this.#refused) return identity;
    if (this.#issued && this.#endsSoon(await this.#issued.credentials)) this.#issued = undefined;
    this.#issued ??= { at: performance.now(), credentials: this.#issue(options) };
    const { credentials } = this.#issued;
    credentials.catch(() => {
      if (this.#issued?.credentials === credentials) this.#issued = undefined;
    });
    return credentials;
  }

  /** A router has closed the channel that these have opened. */
  refuse({ cert }: Credentials): void {
    if (cert === this.#parts.identity()?.cert) this.#refused = cert;
    else if (this.#issued && performance.now() - this.#issued.at > spreadTime) this.#issued = undefined;
  }

  async #issue(options: CallOptions): Promise<Credentials> {
    const keys = await clientKeys({});
    const csr = await createCsr(this.#commonName, keys);
    const { currentApiSessionCertificates } = this.#parts.edge.client;
    const { certificate } = await currentApiSessionCertificates.create({ csr }, options);
    const key = await privateKeyPem(keys);
    if (key === undefined) throw new TypeError('the key of the session cannot be exported');
    return { key, cert: certificate };
  }

  #endsSoon({ cert }: Credentials): boolean {
    return Date.parse(new X509Certificate(cert).validTo) - this.#parts.clock() < minLife;
  }
}
